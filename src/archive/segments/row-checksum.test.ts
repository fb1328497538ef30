import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { segmentPath } from "../catalog/catalog.ts";
import { type ChecksummedRow, rowChecksum } from "./checked-rows.ts";
import { segmentMigrations } from "./schema.ts";
import { openSegment, type Segment } from "./segment.ts";

const row: ChecksummedRow = {
  id: 7n,
  timeMs: 1_700_000_000_000,
  likes: 3,
  reposts: null,
  replies: 0,
  quotes: 1,
  revision: "r1",
  record: '"a post"',
};

test("rows that differ in one value have different checksums", () => {
  const changedRows: Partial<ChecksummedRow>[] = [
    { id: 8n },
    { timeMs: 1_700_000_000_001 },
    { likes: null },
    { likes: 0 },
    { reposts: 0 },
    { replies: 1 },
    { quotes: 2 },
    { revision: "r2" },
    { record: '"a pose"' },
  ];
  const checksums = changedRows.map((other) => rowChecksum({ ...row, ...other }));
  expect(new Set([rowChecksum(row), ...checksums]).size).toBe(changedRows.length + 1);
});

test("a row has the same checksum with its time as a number or as a bigint", () => {
  const { timeMs } = row;
  expect(rowChecksum({ ...row, timeMs: BigInt(Number(timeMs)) })).toBe(rowChecksum(row));
});

const keys = ["one", "two", "three"];
const post = (key: string) =>
  makePost({
    key,
    text: `the ${key}`,
    createdMs: Date.UTC(2025, 0, 1) + keys.indexOf(key) * 1_000,
  });
let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive(1_000);
  archive.put(...keys.map(post));
});
afterEach(() => archive.remove());

const path = (): string => segmentPath(archive.folder, { platform: "bluesky", sequence: 1 });

function change(sql: string): void {
  const database = new DatabaseSync(path());
  database.exec(sql);
  database.close();
}

function withSegment<Value>(work: (segment: Segment, ids: bigint[]) => Value): Value {
  const database = new DatabaseSync(path(), { readOnly: true });
  const select = database.prepare("SELECT id FROM post ORDER BY id");
  select.setReadBigInts(true);
  const ids = select.all().map(({ id }) => id as bigint);
  database.close();
  const segment = openSegment(path(), "bluesky", 1_000);
  try {
    return work(segment, ids);
  } finally {
    segment.close();
  }
}

const second = "(SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 1)";

test.for([
  ["the record", "record = replace(record, 'two', 'too')"],
  ["the time", "time_ms = time_ms + 1"],
  ["a count", "likes = 9"],
  ["the revision", "revision = 'other'"],
  ["the checksum", "sum = sum + 1"],
  ["the checksum to null", "sum = NULL"],
])("a row is reported as damaged if another program changes %s", ([, assignment]) => {
  change(`UPDATE post SET ${assignment} WHERE id = ${second}`);
  withSegment((segment, ids) => {
    const result = segment.rows(ids);
    expect(result.damaged).toEqual([ids[1]]);
    expect(result.rows.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
  });
});

test("a copy of a row that is stored under another ID is reported as damaged", () => {
  change(`DELETE FROM post WHERE id = ${second};
    INSERT INTO post SELECT id + 1, time_ms, likes, reposts, replies, quotes, revision, record, sum
    FROM post ORDER BY id LIMIT 1`);
  withSegment((segment, ids) => expect(segment.rows(ids).damaged).toEqual([ids[1]]));
});

test("a damaged row is repaired when its post is written again, but not when a count is added", () => {
  change(`UPDATE post SET record = replace(record, 'two', 'too') WHERE id = ${second}`);
  archive.write([
    {
      kind: "count",
      platform: "bluesky",
      uri: makePost({ key: "two" }).uri,
      metric: "likes",
      increment: 1,
    },
  ]);
  archive.addCounts();
  withSegment((segment, ids) => expect(segment.rows(ids).damaged).toEqual([ids[1]]));
  archive.put(post("two"));
  withSegment((segment, ids) => {
    expect(ids).toHaveLength(3);
    expect(segment.rows(ids).damaged).toEqual([]);
  });
});

test("rows that predate checksums count as intact", () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-checksums-"));
  const database = new DatabaseSync(join(folder, "old.db"));
  const checksumsAt = segmentMigrations.findIndex((migration) => migration.includes("sum INTEGER"));
  for (const migration of segmentMigrations.slice(0, checksumsAt)) database.exec(migration);
  database.exec(`
    INSERT INTO post VALUES(5, 1, NULL, NULL, NULL, NULL, '', '"old"');
    UPDATE setting SET value = 1 WHERE name = 'posts'`);
  const read = () => {
    const segment = openSegment(join(folder, "old.db"), "bluesky", 1_000);
    try {
      return segment.rows([5n]);
    } finally {
      segment.close();
    }
  };
  for (const migration of segmentMigrations.slice(checksumsAt)) database.exec(migration);
  database.close();
  expect(read()).toMatchObject({ rows: [{ id: 5n }], damaged: [] });
  rmSync(folder, { recursive: true });
});
