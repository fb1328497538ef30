import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeCatalog } from "../../../testkit/archives/change-catalog.ts";
import { type SmallArchive, smallArchive } from "../../../testkit/archives/small-archive.ts";
import { makePost } from "../../../testkit/data/make-post.ts";
import type { Post } from "../../posts/post.ts";
import {
  currentAnalyzer,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { addPendingSeals, pendingSeals } from "../catalog/pending-tasks.ts";
import { inTransaction } from "../database.ts";
import { damageMarkerPath, markDamaged } from "../segments/integrity.ts";
import { type ArchiveBounds, archiveDefaults } from "../settings.ts";
import { type Compaction, createCompaction } from "./compaction.ts";
import { type CompactionContext, compactionContext } from "./context.ts";
import { runSteps } from "./steps.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 0, 1);

let archive: SmallArchive;
let context: CompactionContext;

const requestSeals = (entries: readonly SegmentEntry[]): void =>
  inTransaction(context.catalog, () => addPendingSeals(context.catalog, entries));
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
  const sealing = { sealPosts: 10, optimiseAfterMs: Number.POSITIVE_INFINITY };
  context = compactionContext(
    archive.folder,
    { ...archiveDefaults, ...sealing, ...bounds },
    { now: () => nowMs },
  );
  return createCompaction(context);
}

function restartCompaction(bounds: Partial<ArchiveBounds> = {}): Compaction {
  context.catalog.close();
  return startCompaction(bounds);
}

function runAll(compaction: Compaction): Record<string, number> {
  const before = { ...compaction.state().done };
  for (let tasks = 0; runSteps(compaction.runNext()); tasks += 1) {
    if (tasks > 100) throw new Error("compaction does not finish");
  }
  expect(compaction.state().error).toBeNull();
  return Object.fromEntries(
    Object.entries(compaction.state().done)
      .map(([kind, times]) => [kind, times - before[kind as keyof typeof before]] as const)
      .filter(([, times]) => times > 0),
  );
}

function postOf(n: number, overrides: Partial<Post> = {}): Post {
  return makePost({
    key: `k${n}`,
    createdMs: startMs + n * hourMs,
    seenMs: startMs + n * hourMs,
    text: `river number ${n}`,
    origin: "stream",
    revision: "1",
    ...overrides,
  });
}

const posts = (from: number, to: number): Post[] =>
  Array.from({ length: to - from }, (_, n) => postOf(from + n));

const like = (n: number) =>
  archive.write([
    { kind: "count", platform: "bluesky", uri: postOf(n).uri, metric: "likes", increment: 1 },
  ]);

const sealed = () =>
  archive.reader.operations
    .stats({ maxBytes: 0 })
    .segments.map((segment) => segment.sealed !== null);

const found = () => archive.query("river", { limit: 1_000 }).positions.length;

const makePath = (sequence: number): string =>
  segmentPath(archive.folder, { platform: "bluesky", sequence });

function damageIndex(sequence: number): void {
  const segment = new DatabaseSync(makePath(sequence), { defensive: false });
  segment.exec("UPDATE term_data SET block = x'00000001ff00000101010101' WHERE id = 10");
  segment.close();
}

function setFileAge(ms: number): void {
  const folder = join(archive.folder, "bluesky");
  for (const name of readdirSync(folder)) {
    const date = new Date(nowMs - ms);
    utimesSync(join(folder, name), date, date);
  }
}

describe("segment to seal", () => {
  test("a segment is sealed once no post has arrived for a while, even if its counts have changed", () => {
    archive.put(...posts(0, 20));
    const compaction = startCompaction();
    expect(runAll(compaction)).toEqual({});
    nowMs += hourMs - 60_000;
    like(3);
    archive.addCounts();
    expect(runAll(compaction)).toEqual({});
    nowMs += 120_000;
    like(4);
    archive.addCounts();
    expect(runAll(compaction)).toEqual({ seal: 2 });
    expect(sealed()).toEqual([true, true, false]);
    expect(found()).toBe(20);
    expect(runAll(compaction)).toEqual({});

    archive.put(...posts(20, 30));
    nowMs += hourMs + 60_000;
    setFileAge(0);
    expect(runAll(compaction)).toEqual({});
    nowMs += hourMs;
    expect(runAll(compaction)).toEqual({ seal: 1 });
  });

  test("a segment is not sealed while posts arrive", () => {
    archive.put(...posts(0, 12));
    const compaction = startCompaction();
    runAll(compaction);
    nowMs += 2 * hourMs;
    archive.put(postOf(1, { uri: "at://did:plc:b/app.bsky.feed.post/late" }));
    setFileAge(0);
    expect(runAll(compaction)).toEqual({});
    nowMs += hourMs;
    expect(runAll(compaction)).toEqual({ seal: 1 });
  });

  test("after a restart, the age of a segment's file determines when the segment is sealed", () => {
    archive.put(...posts(0, 12));
    setFileAge(hourMs - 1_000);
    expect(runAll(startCompaction())).toEqual({});
    setFileAge(hourMs);
    expect(runAll(restartCompaction())).toEqual({ seal: 1 });
  });

  test("a small segment is not sealed", () => {
    archive.put(...posts(0, 12));
    setFileAge(dayMs);
    expect(runAll(startCompaction({ sealPosts: 11 }))).toEqual({});
  });

  test("a segment with terms of another analyzer is not sealed, and its terms are rebuilt first", () => {
    archive.put(...posts(0, 12));
    const compaction = startCompaction();
    changeCatalog(context.catalog, "UPDATE segment SET analyzer = '1 15.0' WHERE sequence = 1");
    setFileAge(dayMs);
    expect(runAll(compaction)).toEqual({ reindex: 1 });
    nowMs += hourMs + 60_000;
    expect(runAll(compaction)).toEqual({ seal: 1 });
    expect(readSegments(context.catalog)[0]).toMatchObject({ analyzer: currentAnalyzer });
  });

  test("a segment with an unreadable FTS5 index is not sealed, and its index is rebuilt only once", () => {
    archive.put(...posts(0, 12));
    damageIndex(1);
    setFileAge(dayMs);
    const compaction = startCompaction();
    expect(runSteps(compaction.runNext())).toBe(true);
    expect(compaction.state()).toMatchObject({ error: { kind: "seal" }, done: { seal: 0 } });
    expect(runAll(compaction)).toEqual({ reindex: 1 });
    expect(found()).toBe(12);
    const [{ sequence } = { sequence: 0 }] = readSegments(context.catalog);
    damageIndex(sequence);
    nowMs += dayMs;
    expect(runSteps(compaction.runNext())).toBe(true);
    expect(compaction.state()).toMatchObject({ error: { kind: "seal" }, done: { seal: 0 } });
    for (const store of [compaction, restartCompaction()]) {
      nowMs += dayMs;
      requestSeals(readSegments(context.catalog).slice(0, 1));
      expect(runSteps(store.runNext())).toBe(false);
    }
  });

  test("a segment is sealed immediately on request, even if small or new", () => {
    archive.put(...posts(0, 12));
    const compaction = startCompaction({ sealPosts: 1_000 });
    requestSeals(readSegments(context.catalog));
    expect(runAll(compaction)).toEqual({ seal: 2 });
    expect(pendingSeals(context.catalog)).toEqual([]);
    expect(found()).toBe(12);
  });
});

describe("sealed segment", () => {
  function sealFirstSegment(bounds: Partial<ArchiveBounds> = {}): Compaction {
    archive.put(...posts(0, 12));
    setFileAge(dayMs);
    const compaction = startCompaction(bounds);
    expect(runAll(compaction)).toEqual({ seal: 1 });
    return compaction;
  }

  const edit = (n: number) => archive.put(postOf(n, { text: `river edited ${n}`, revision: "2" }));

  test("a sealed segment is resealed after many writes, at most once per interval", () => {
    const compaction = sealFirstSegment({ resealPercent: 20 });
    edit(1);
    edit(2);
    nowMs += dayMs;
    expect(runAll(compaction)).toEqual({});
    edit(3);
    expect(runAll(compaction)).toEqual({ seal: 1 });
    for (const n of [4, 5, 6]) edit(n);
    nowMs += dayMs - 1;
    expect(runAll(compaction)).toEqual({});
    nowMs += 1;
    expect(runAll(compaction)).toEqual({ seal: 1 });
    expect(archive.query("edited", { limit: 100 }).positions).toHaveLength(6);
  });

  test("a sealed segment is resealed immediately if its index has no checksums", () => {
    const compaction = sealFirstSegment();
    const [{ sequence } = { sequence: 0 }] = readSegments(context.catalog);
    const segment = new DatabaseSync(makePath(sequence));
    segment.exec(`
      UPDATE sealed SET format = 1, page_sums = NULL, first = NULL, sum = NULL;
      UPDATE sealed_terms SET sum = NULL;
      UPDATE sealed_docs SET sum = NULL; UPDATE sealed_positions SET sum = NULL;
      DELETE FROM sealed_mask`);
    segment.close();
    expect(found()).toBe(12);
    expect(runAll(compaction)).toEqual({ seal: 1 });
    expect(found()).toBe(12);
    expect(runAll(compaction)).toEqual({});
  });

  test("a sealed segment is rewritten without its sealed index if sealing is disabled", () => {
    sealFirstSegment();
    const compaction = restartCompaction({ seal: "off" });
    expect(runAll(compaction)).toEqual({ reindex: 1 });
    expect(sealed()).toEqual([false, false]);
    requestSeals(readSegments(context.catalog));
    setFileAge(dayMs);
    expect(runAll(compaction)).toEqual({});
    expect(found()).toBe(12);
  });

  test("a sealed segment is rebuilt if marked as damaged, loses its marker, and is resealed later", () => {
    const compaction = sealFirstSegment({ retiredMs: 60_000 });
    const [{ sequence } = { sequence: 0 }] = readSegments(context.catalog);
    markDamaged(makePath(sequence));
    expect(runAll(compaction)).toEqual({ reindex: 1 });
    expect(sealed()).toEqual([false, false]);
    nowMs += 60_001;
    runAll(compaction);
    expect(existsSync(damageMarkerPath(makePath(sequence)))).toBe(false);
    nowMs += hourMs;
    expect(runAll(compaction)).toEqual({ seal: 1 });
  });

  test("a sealed segment marked as damaged is rebuilt instead of resealed, even on request", () => {
    const compaction = sealFirstSegment();
    const [entry] = readSegments(context.catalog);
    if (entry === undefined) throw new Error("no segment");
    markDamaged(makePath(entry.sequence));
    requestSeals([entry]);
    expect(runSteps(compaction.runNext())).toBe(true);
    expect(compaction.state().done).toMatchObject({ seal: 1, reindex: 1 });
  });

  test("the damage marker of an unknown segment is removed", () => {
    sealFirstSegment();
    markDamaged(makePath(77));
    runAll(restartCompaction());
    expect(existsSync(damageMarkerPath(makePath(77)))).toBe(false);
  });

  test("a sealed segment is smaller than before sealing", () => {
    archive.remove();
    archive = smallArchive(1_000);
    const text = (n: number) => `river ${n} ${n % 7} ${"harbour night ".repeat(9)}`;
    archive.put(...posts(0, 1_001).map((post, n) => ({ ...post, text: text(n) })));
    const compaction = startCompaction({ optimiseAfterMs: 1_000 });
    setFileAge(60_000);
    expect(runAll(compaction)).toEqual({ optimise: 1 });
    const { size } = statSync(makePath(1));
    nowMs += 2 * hourMs;
    expect(runAll(compaction)).toEqual({ seal: 1 });
    const [{ sequence } = { sequence: 0 }] = readSegments(context.catalog);
    expect(statSync(makePath(sequence)).size).toBeLessThan(size);
  });
});
