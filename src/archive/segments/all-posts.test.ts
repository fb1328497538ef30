import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import { readSegments, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { damageMarkerPath } from "./integrity.ts";

const startMs = Date.UTC(2025, 0, 1);
const posts = 2_000;
let archive: SmallArchive;
beforeEach(() => {
  archive = smallArchive(100_000);
  archive.put(
    ...Array.from({ length: posts }, (_, n) =>
      makePost({ key: `k${n}`, createdMs: startMs + n * 1_000, text: `river ${n} n${n % 7}` }),
    ),
  );
});
afterEach(() => archive.remove());

function path(): string {
  const catalog = openForReading(`${archive.folder}/catalog.db`, 100);
  try {
    const [entry] = readSegments(catalog);
    if (entry === undefined) throw new Error("no segment");
    return segmentPath(archive.folder, entry);
  } finally {
    catalog.close();
  }
}

function readPages(table: string): number[] {
  const database = new DatabaseSync(path());
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const rows = database
    .prepare("SELECT pageno FROM dbstat WHERE name = ? ORDER BY pageno")
    .all(table);
  database.close();
  return rows.map(({ pageno }) => Number(pageno));
}

function overwritePage(page: number, bytes = new Uint8Array(64).fill(0xff)): void {
  const file = openSync(path(), "r+");
  writeSync(file, bytes, 0, bytes.length, (page - 1) * 8_192);
  closeSync(file);
  archive.reopen();
}

const request = (query: string, fromMs: number | null = null) =>
  archive.query(query, { limit: 10_000, fromMs });

describe("a damaged page of rows", () => {
  test.each(["fts5", "sealed"])(
    "a damaged page of rows loses only its own posts in a segment with index %s",
    (form) => {
      if (form === "sealed") archive.seal();
      const pages = readPages("post");
      expect(pages.length).toBeGreaterThan(8);
      overwritePage(pages[Math.floor(pages.length / 2)] ?? 0);
      expect(request("river").positions).toHaveLength(posts);
      const { positions, damage } = request("n3 -min_faves:5");
      const expected = Math.ceil((posts - 3) / 7);
      expect(positions.length).toBeLessThan(expected);
      expect(positions.length).toBeGreaterThan(expected / 2);
      expect(damage).not.toEqual([]);
      const result = archive.reader.operations.records(request("river").positions);
      expect(result.records.length).toBeLessThan(posts);
      expect(result.records.length).toBeGreaterThan(posts / 2);
      expect(result.damage).not.toEqual([]);
    },
  );
});

describe("a damaged page of FTS5's index", () => {
  test("a damaged page of FTS5's index marks the segment as damaged, and its rows then yield a complete answer", () => {
    const pages = readPages("term_data");
    for (const page of pages.slice(2)) overwritePage(page);
    const { positions, damage } = request("river n3");
    expect(positions).toHaveLength(Math.ceil((posts - 3) / 7));
    expect(damage).toEqual([]);
    expect(existsSync(damageMarkerPath(path()))).toBe(true);
    const count = archive.reader.operations.count({
      plan: { kind: "terms", elements: [{ kind: "token", token: "n3" }] },
      platforms: ["bluesky"],
      fromMs: startMs,
      toMs: startMs + posts * 1_000,
      bucketMs: 86_400_000,
      deadlineMs: Number.POSITIVE_INFINITY,
    });
    expect(count.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(
      Math.ceil((posts - 3) / 7),
    );
    expect(count.damage).toEqual([]);
  });

  test.each([
    ["root", 0],
    ["leaf", 2],
  ])(
    "if FTS5's index and the %s page of its list of posts are damaged, readable rows are returned as an incomplete answer",
    (_, index) => {
      for (const page of readPages("term_data").slice(2)) overwritePage(page);
      overwritePage(readPages("term_docsize")[index] ?? 0);
      const { positions, damage } = request("river n3");
      expect(positions).toHaveLength(Math.ceil((posts - 3) / 7));
      expect(damage).toHaveLength(1);
    },
  );
});

test("a segment that has lost a row is reported as damaged when every row is read", () => {
  const database = new DatabaseSync(path());
  database.exec("DELETE FROM post WHERE id = (SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 50)");
  database.close();
  archive.reopen();
  const { positions, damage } = request("-n3 -min_faves:5");
  expect(positions).toHaveLength(posts - Math.ceil((posts - 3) / 7) - 1);
  expect(damage).toMatchObject([{ platform: "bluesky", sequence: 1 }]);
});

test("an answer is never complete if a flipped bit in FTS5's list of posts hides a post", () => {
  const [, page = 0] = readPages("term_docsize");
  archive.reopen();
  const pageBytes = 8_192;
  const index = (page - 1) * pageBytes;
  const intact = readFileSync(path()).subarray(index, index + pageBytes);
  const incomplete: string[] = [];
  for (let offset = 5_000; offset < 5_024; offset++) {
    rmSync(damageMarkerPath(path()), { force: true });
    const bytes = Uint8Array.from(intact);
    bytes[offset] = (bytes[offset] ?? 0) ^ 0x80;
    overwritePage(page, bytes);
    const { positions, damage } = request("river", startMs);
    if (positions.length < posts && damage.length === 0) incomplete.push(`byte ${offset}`);
  }
  expect(incomplete).toEqual([]);
});

describe("damage that SQLite does not detect", () => {
  function change(sql: string): void {
    const database = new DatabaseSync(path(), { defensive: false });
    database.exec(sql);
    database.close();
    archive.reopen();
  }

  test.each(["fts5", "sealed"])(
    "damage in FTS5's index that SQLite does not detect causes no wrong answer in a segment with index %s",
    (form) => {
      if (form === "sealed") {
        archive.seal();
        archive.put(makePost({ key: "late", createdMs: startMs + 500, text: "river late n3" }));
      }
      change(
        `UPDATE term_data SET block = CAST(replace(block, 'river', 'rover') AS BLOB) WHERE id > 10`,
      );
      const { positions, damage } = request("river n3");
      const late = form === "sealed" ? 1 : 0;
      expect(positions).toHaveLength(Math.ceil((posts - 3) / 7) + late);
      expect(damage).toEqual([]);
      expect(existsSync(damageMarkerPath(path()))).toBe(true);
    },
  );

  test("a post missing from FTS5's lists is found by its row, and the answer is incomplete", () => {
    change("DELETE FROM term_docsize WHERE id = (SELECT id FROM term_docsize LIMIT 1 OFFSET 9)");
    const { positions, damage } = request("river");
    expect(positions).toHaveLength(posts);
    expect(damage).toHaveLength(1);
  });

  test("a wrong entry in the list of hidden posts makes answers incomplete", () => {
    change("INSERT INTO hidden SELECT id FROM post LIMIT 1");
    expect(request("river").damage).toHaveLength(1);
  });
});
