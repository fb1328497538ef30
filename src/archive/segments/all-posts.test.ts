import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePost } from "../../../test/support/make-post.ts";
import { type SmallArchive, smallArchive } from "../../../test/support/small-archive.ts";
import { readSegments, segmentPath } from "../catalog.ts";
import { openForReading } from "../database.ts";
import { damageMarkerOf } from "./damage-marker.ts";

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
    if (entry === undefined) throw new Error("a segment");
    return segmentPath(archive.folder, entry);
  } finally {
    catalog.close();
  }
}

/** The pages of a table, first its root. */
function pagesOf(table: string): number[] {
  const database = new DatabaseSync(path());
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const rows = database
    .prepare("SELECT pageno FROM dbstat WHERE name = ? ORDER BY pageno")
    .all(table);
  database.close();
  return rows.map(({ pageno }) => Number(pageno));
}

function spoil(page: number, bytes = new Uint8Array(64).fill(0xff)): void {
  const file = openSync(path(), "r+");
  writeSync(file, bytes, 0, bytes.length, (page - 1) * 8_192);
  closeSync(file);
  archive.reopen();
}

const ask = (query: string) => archive.ask(query, { limit: 10_000 });

describe("a damaged page of the rows", () => {
  test.each(["fts5", "sealed"])("costs the posts on it alone, of posts found by %s", (form) => {
    if (form === "sealed") archive.seal();
    const pages = pagesOf("post");
    expect(pages.length).toBeGreaterThan(8);
    spoil(pages[Math.floor(pages.length / 2)] ?? 0);
    // The index alone answers it.
    expect(ask("river").positions).toHaveLength(posts);
    const { positions, damage } = ask("n3 -min_faves:5");
    const wanted = Math.ceil((posts - 3) / 7);
    expect(positions.length).toBeLessThan(wanted);
    expect(positions.length).toBeGreaterThan(wanted / 2);
    expect(damage).not.toEqual([]);
    const read = archive.reader.operations.records(ask("river").positions);
    expect(read.records.length).toBeLessThan(posts);
    expect(read.records.length).toBeGreaterThan(posts / 2);
    expect(read.damage).not.toEqual([]);
  });
});

describe("a damaged page of FTS5's index", () => {
  test("is stepped around: every row is looked at, the answer is whole, and the segment is marked", () => {
    const pages = pagesOf("term_data");
    for (const page of pages.slice(2)) spoil(page);
    const { positions, damage } = ask("river n3");
    expect(positions).toHaveLength(Math.ceil((posts - 3) / 7));
    expect(damage).toEqual([]);
    expect(existsSync(damageMarkerOf(path()))).toBe(true);
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

  test("with the list of its posts damaged too, the rows that can be read answer, and not as all there are", () => {
    for (const page of pagesOf("term_data").slice(2)) spoil(page);
    for (const page of pagesOf("term_docsize").slice(0, 1)) spoil(page);
    const { positions, damage } = ask("river n3");
    expect(positions).toHaveLength(Math.ceil((posts - 3) / 7));
    expect(damage).toHaveLength(1);
  });
});

test("a row that is lost is named where every row is looked at", () => {
  const database = new DatabaseSync(path());
  database.exec("DELETE FROM post WHERE id = (SELECT id FROM post ORDER BY id LIMIT 1 OFFSET 50)");
  database.close();
  archive.reopen();
  const { positions, damage } = ask("-n3 -min_faves:5");
  expect(positions).toHaveLength(posts - Math.ceil((posts - 3) / 7) - 1);
  expect(damage).toMatchObject([{ platform: "bluesky", sequence: 1 }]);
});
