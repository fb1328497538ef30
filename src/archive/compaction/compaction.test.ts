import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import { updateRowChecksums } from "../../../testkit/archives/row-checksums.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Post } from "../../posts/post.ts";
import { currentAnalyzer, nextSequence, readSegments, segmentPath } from "../catalog/catalog.ts";
import { type ArchiveBounds, archiveDefaults } from "../settings.ts";
import { type Compaction, createCompaction } from "./compaction.ts";
import { type CompactionContext, compactionContext } from "./context.ts";
import { lockCompaction } from "./lock.ts";
import { runSteps } from "./steps.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 0, 1);
const everything = { plan: { kind: "all" }, limit: 1_000 } as const;

let archive: SmallArchive;
let context: CompactionContext;
let nowMs: number;
beforeEach(() => {
  archive = smallArchive(10);
  nowMs = Date.now();
});
afterEach(() => {
  context.catalog.close();
  archive.remove();
});

function startCompaction(bounds: Partial<ArchiveBounds> = {}): Compaction {
  const neverOptimise = { optimiseAfterMs: Number.POSITIVE_INFINITY };
  context = compactionContext(
    archive.folder,
    { ...archiveDefaults, ...neverOptimise, ...bounds },
    { now: () => nowMs },
  );
  return createCompaction(context);
}

function runAll(compaction: Compaction): number {
  let tasks = 0;
  while (runSteps(compaction.runNext())) {
    tasks += 1;
    if (tasks > 100) throw new Error("compaction does not finish");
  }
  return tasks;
}

function posts(from: number, to: number, overrides: Partial<Post> = {}): Post[] {
  return Array.from({ length: to - from }, (_, n) =>
    makePost({
      key: `${overrides.origin ?? "stream"}${from + n}`,
      createdMs: startMs + (from + n) * 3_600_000,
      seenMs: startMs + (from + n) * 3_600_000,
      text: `river number ${from + n}`,
      origin: "stream",
      ...overrides,
    }),
  );
}

const sequences = () => readSegments(context.catalog).map(({ sequence }) => sequence);
const found = () => archive.search(everything).positions.length;
const getStats = () => archive.reader.operations.stats({ maxBytes: 0 }).segments;
const coverage = () =>
  archive.reader.operations
    .coverage()
    .flatMap(({ intervals }) =>
      intervals.map(({ source, fromMs, toMs }) => [
        source,
        (fromMs - startMs) / 3_600_000,
        (toMs - startMs) / 3_600_000,
      ]),
    );

function makeFilesOld(): void {
  const folder = join(archive.folder, "bluesky");
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), new Date(0), new Date(0));
}

describe("segments with a different analyzer", () => {
  test("segments with an outdated analyzer are reindexed, newest first, after a new segment is started", () => {
    archive.put(...posts(0, 25));
    const compaction = startCompaction();
    changeCatalog(context.catalog, "UPDATE segment SET analyzer = '1 15.0'");
    expect(found()).toBe(25);
    const order: unknown[] = [];
    while (runSteps(compaction.runNext())) {
      order.push(readSegments(context.catalog).map(({ analyzer }) => analyzer === currentAnalyzer));
      expect(archive.query("river", { limit: 100 }).positions).toHaveLength(25);
    }
    expect(order).toEqual([
      [false, false, false, true],
      [false, false, true, true],
      [false, true, true, true],
      [true, true, true, true],
    ]);
    expect(compaction.state()).toMatchObject({ error: null, done: { cut: 1, reindex: 3 } });
    expect(archive.query("river", { limit: 100 }).work.rechecked).toBe(0);
  });

  test("segments with a later analyzer are reported as an error instead of being reindexed", () => {
    archive.put(...posts(0, 5));
    const compaction = startCompaction();
    changeCatalog(context.catalog, "UPDATE segment SET analyzer = '99 15.0'");
    expect(runAll(compaction)).toBe(0);
    expect(compaction.state().error).toMatchObject({ kind: null });
    changeCatalog(context.catalog, `UPDATE segment SET analyzer = '${currentAnalyzer}'`);
  });
});

describe("expiry of posts", () => {
  const interval = (fromHour: number, toHour: number, source = "jetstream") => ({
    platform: "bluesky" as const,
    collection: "posts" as const,
    account: null,
    source,
    fromMs: startMs + fromHour * 3_600_000,
    toMs: startMs + toHour * 3_600_000,
  });

  function expiringCompaction(): Compaction {
    nowMs = startMs + 40 * 3_600_000;
    return startCompaction({ maxAgeMs: dayMs, retiredMs: 60_000 });
  }

  test("a segment of expired posts is dropped, and its coverage removed except that of imports", () => {
    archive.write(
      posts(0, 35).map((post) => ({ kind: "upsert", post })),
      { coverage: [interval(0, 35), interval(2, 5, "backfill"), interval(0, 4, "import")] },
    );
    const compaction = expiringCompaction();
    expect(runAll(compaction)).toBe(1);
    expect(found()).toBe(25);
    expect(sequences()).toEqual([2, 3, 4]);
    expect(readSegments(context.catalog)[0]?.low).toBe(0n);
    const startHour = 9 + 1 / 3_600_000;
    expect(coverage()).toEqual([
      ["import", 0, 4],
      ["jetstream", startHour, 35],
    ]);
    expect(compaction.state()).toMatchObject({ expiredPosts: 10, done: { drop: 1 } });
  });

  test("late posts from an expired period are rejected unless imported, and add no coverage for that period", () => {
    archive.put(...posts(0, 35));
    runAll(expiringCompaction());
    const late = archive.write(
      [
        ...posts(3, 5, { text: "late river" }),
        ...posts(6, 8, { text: "late river", origin: "import" }),
        ...posts(20, 21, { text: "late river", uri: "at://did:plc:author/app.bsky.feed.post/l" }),
      ].map((post) => ({ kind: "upsert", post })),
      { coverage: [interval(0, 12, "backfill")] },
    );
    expect(late).toMatchObject({ inserted: 3, suppressed: 2 });
    expect(archive.query('"late river"').positions).toHaveLength(3);
    expect(coverage()).toEqual([["backfill", 9 + 1 / 3_600_000, 12]]);
  });

  test("imported posts remain when the other posts of their segment expire", () => {
    archive.put(...posts(0, 8), ...posts(3, 5, { origin: "import" }), ...posts(8, 35));
    const compaction = expiringCompaction();
    runAll(compaction);
    expect(getStats().map(({ posts, imported }) => [posts, imported])[0]).toEqual([2, 2]);
    expect(compaction.state()).toMatchObject({ expiredPosts: 8, done: { thin: 1, drop: 0 } });
    expect(found()).toBe(29);
    expect(runAll(compaction)).toBe(0);
  });

  test("posts of the newest segment never expire", () => {
    archive.put(...posts(0, 5));
    nowMs = startMs + 1_000 * dayMs;
    expect(runAll(startCompaction({ maxAgeMs: dayMs }))).toBe(0);
    expect(found()).toBe(5);
  });

  test("the oldest segment is dropped when the archive exceeds its maximum size", () => {
    archive.put(...posts(0, 45));
    archive.reopen();
    const { bytes } = archive.reader.operations.stats({ maxBytes: 0 });
    const compaction = startCompaction({ maxBytes: bytes - 1 });
    expect(runAll(compaction)).toBe(1);
    expect(found()).toBe(35);
    expect(compaction.state()).toMatchObject({ isOverBound: false, expiredPosts: 10 });
    const dropped = segmentPath(archive.folder, { platform: "bluesky", sequence: 1 });
    expect(existsSync(dropped)).toBe(true);
    nowMs += 10_001;
    runAll(compaction);
    expect(existsSync(dropped)).toBe(false);
  });

  test("imports never expire, and an archive of imports reports that it exceeds its maximum size", () => {
    archive.put(...posts(0, 45, { origin: "import" }));
    const compaction = startCompaction({ maxBytes: 1_000 });
    expect(runAll(compaction)).toBe(0);
    expect(found()).toBe(45);
    expect(compaction.state()).toMatchObject({ isOverBound: true });
  });

  test("late posts are accepted again once there is room", () => {
    archive.put(...posts(0, 155));
    const bytes = archive.reader.operations.stats({ maxBytes: 0 }).bytes;
    runAll(startCompaction({ maxBytes: bytes - 1 }));
    expect(archive.put(...posts(3, 5))).toMatchObject({ suppressed: 2 });
    context.catalog.close();
    runAll(startCompaction({ maxBytes: 100 * bytes }));
    expect(archive.put(...posts(3, 5))).toMatchObject({ inserted: 2 });
  });
});

describe("files of replaced segments", () => {
  test("files of replaced segments are kept for a while, then removed, and their sequence numbers are not reused", () => {
    archive.put(...posts(0, 12));
    const compaction = startCompaction({ retiredMs: 60_000 });
    changeCatalog(context.catalog, "UPDATE segment SET analyzer = '1 15.0' WHERE sequence = 1");
    runAll(compaction);
    const [rewritten] = readSegments(context.catalog);
    expect(rewritten?.sequence).toBe(3);
    const oldPath = segmentPath(archive.folder, { platform: "bluesky", sequence: 1 });
    expect(existsSync(oldPath)).toBe(true);
    nowMs += 60_001;
    runAll(compaction);
    expect(existsSync(oldPath)).toBe(false);
    expect(existsSync(`${oldPath}-wal`)).toBe(false);

    changeCatalog(context.catalog, "DELETE FROM segment WHERE sequence = 3");
    changeCatalog(context.catalog, "INSERT INTO retired VALUES('bluesky', 3, 0, 1000)");
    runAll(compaction);
    expect(nextSequence(context.catalog, "bluesky")).toBe(4);
  });
});

describe("segment filled by late posts", () => {
  test("a segment filled by late posts is split without losing posts", () => {
    archive.put(...posts(0, 15));
    archive.put(
      ...posts(0, 30).map((post, n) => ({
        ...post,
        uri: `${post.uri}late`,
        createdMs: startMs + n * 60_000,
        seenMs: startMs + n * 60_000,
      })),
    );
    const compaction = startCompaction({ splitPosts: 15 });
    expect(runAll(compaction)).toBe(1);
    expect(getStats().map((segment) => segment.posts)).toEqual([13, 14, 13, 5]);
    expect(found()).toBe(45);
    expect(archive.query("river", { limit: 100 }).positions).toHaveLength(45);
  });

  test("a segment whose posts share a millisecond is not split, and the next try is postponed", () => {
    archive.put(...posts(0, 20, { createdMs: startMs, seenMs: startMs }));
    archive.put(...posts(30, 31));
    const compaction = startCompaction({ splitPosts: 5 });
    expect(runAll(compaction)).toBe(1);
    expect(compaction.state()).toMatchObject({ waiting: { split: 1 }, done: { split: 0 } });
    nowMs += 29_000;
    expect(runAll(compaction)).toBe(0);
  });
});

describe("quiet segment", () => {
  test("a quiet segment's FTS5 index is merged once, without changing search results", () => {
    for (let n = 0; n < 12; n += 1) archive.put(...posts(n, n + 1));
    const compaction = startCompaction({ optimiseAfterMs: 600_000 });
    const before = archive.query("river number").positions;
    expect(ftsSegments()).toBeGreaterThan(1);
    makeFilesOld();
    expect(runAll(compaction)).toBe(1);
    expect(readSegments(context.catalog).map(({ optimised }) => optimised)).toEqual([true, false]);
    expect(ftsSegments()).toBe(1);
    expect(archive.query("river number").positions).toEqual(before);
    makeFilesOld();
    expect(runAll(compaction)).toBe(0);
  });

  test("the index of a recently written segment is not merged", () => {
    archive.put(...posts(0, 12));
    expect(runAll(startCompaction({ optimiseAfterMs: 600_000 }))).toBe(0);
  });

  function ftsSegments(): number {
    const segment = new DatabaseSync(join(archive.folder, "bluesky", "000001.db"));
    const row = segment.prepare("SELECT count(DISTINCT segid) AS ftsSegments FROM term_idx").get();
    segment.close();
    return Number(row?.ftsSegments);
  }

  test("compaction drops ingest numbers beyond the retained count, and reading from a dropped number fails", () => {
    const many = Array.from({ length: 30 }, (_, n) => n);
    archive.remove();
    archive = smallArchive(2_000);
    archive.put(
      ...many.flatMap((n) =>
        posts(0, 100).map((post) => ({ ...post, uri: `${post.uri}-${n}`, text: "river" })),
      ),
    );
    archive.put(...posts(200, 203));
    const compaction = startCompaction({ retainedIngestNumbers: 500, optimiseAfterMs: 600_000 });
    makeFilesOld();
    runAll(compaction);
    const { ingestOrder } = archive.reader.operations;
    const reported = ingestOrder({ after: null, limit: 5_000 }).length;
    expect(reported).toBeGreaterThanOrEqual(500);
    expect(reported).toBeLessThan(1_500);
    expect(() =>
      ingestOrder({ after: { number: 3, id: 0n, platform: "bluesky" }, limit: 10 }),
    ).toThrow(expect.objectContaining({ code: "ingest_order_dropped" }));
    expect(compaction.state().done.forget).toBe(1);
  });
});

describe("failed task", () => {
  test("a failed compaction task is reported, changes nothing, and is retried later", () => {
    archive.put(...posts(0, 12));
    const compaction = startCompaction();
    changeCatalog(context.catalog, "UPDATE segment SET analyzer = '1 15.0' WHERE sequence = 1");
    const path = segmentPath(archive.folder, { platform: "bluesky", sequence: 1 });
    const { size } = statSync(path);
    const segment = new DatabaseSync(path);
    segment.exec("UPDATE post SET record = '{' WHERE id = (SELECT max(id) FROM post)");
    expect(runAll(compaction)).toBe(1);
    expect(compaction.state()).toMatchObject({ error: { kind: "reindex" }, done: { reindex: 0 } });
    expect(sequences()).toEqual([1, 2]);
    expect(readSegments(context.catalog)[0]?.rewriting).toBe(false);
    expect(statSync(path).size).toBe(size);
    expect(readdirSync(join(archive.folder, "bluesky")).join()).not.toContain("000003");

    segment.exec(`UPDATE post SET record = '"river"' WHERE record = '{'`);
    updateRowChecksums(segment);
    segment.close();
    expect(runAll(compaction)).toBe(0);
    nowMs += 31_000;
    expect(runAll(compaction)).toBe(1);
    expect(compaction.state()).toMatchObject({ error: null, done: { reindex: 1 } });
  });

  test("compaction empties a write-ahead log only after readers of old snapshots have finished", () => {
    archive.put(...posts(0, 12));
    const path = segmentPath(archive.folder, { platform: "bluesky", sequence: 1 });
    const stuck = new DatabaseSync(path, { readOnly: true });
    stuck.exec("BEGIN; SELECT * FROM post LIMIT 1");
    const rows = stuck.prepare("SELECT count(*) AS posts FROM post");
    expect(rows.get()).toEqual({ posts: 10 });
    const text = "river ".repeat(40);
    for (let n = 0; n < 30; n += 1) {
      archive.put(
        ...Array.from({ length: 20 }, (_, k) =>
          makePost({ key: `w${n}-${k}`, createdMs: startMs + n * 1_000 + k, text: `${text}${n}` }),
        ),
      );
    }
    const compaction = startCompaction({ optimiseAfterMs: 600_000, splitPosts: 1e6 });
    makeFilesOld();
    while (runSteps(compaction.runNext())) makeFilesOld();
    expect(compaction.state()).toMatchObject({ waiting: { shorten: 1 } });
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(1024 ** 2);
    expect(rows.get()).toEqual({ posts: 10 });
    stuck.close();
    nowMs += 3_600_000;
    runAll(compaction);
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(found()).toBe(612);
  });
});

test("the compaction lock is exclusive until it is released", () => {
  startCompaction();
  const lock = lockCompaction(archive.folder);
  expect(lock).not.toBeNull();
  expect(lockCompaction(archive.folder)).toBeNull();
  lock?.release();
  const next = lockCompaction(archive.folder);
  expect(next).not.toBeNull();
  next?.release();
});
