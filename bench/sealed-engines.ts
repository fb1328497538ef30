import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parseQuery } from "@earshot/query";
import { extractBounds, makePlan, namesIn, type PlanNode } from "@earshot/query/plan";
import {
  catalogPath,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../src/archive/catalog/catalog.ts";
import { openForReading } from "../src/archive/database.ts";
import { memoryShares } from "../src/archive/memory-shares.ts";
import { type PlatformQuery, platformQuery } from "../src/archive/read/platform-query.ts";
import { createIdCache, useIdCache } from "../src/archive/sealed/id-cache.ts";
import {
  createSealedCaches,
  type SealedCaches,
} from "../src/archive/segments/sealed-index-reader.ts";
import { openSegment, type Segment } from "../src/archive/segments/segment.ts";
import { archiveDefaults } from "../src/archive/settings.ts";
import { createReader, type Reader } from "../src/archive/threads/reader.ts";
import { systemClock } from "../src/lib/clock.ts";
import { type IdRange, lastId, lowestId } from "../src/posts/ids.ts";
import { openRaw } from "./raw-fts5.ts";

/** Cache per segment; raw FTS5 gets the total. */
export const cacheKib = 8_000;
export const limit = 100;

export type PlannedQuery = { plan: PlanNode; query: PlatformQuery; match: string; ids: IdRange };

export type OpenSegment = { entry: SegmentEntry; segment: Segment };

/** Opens all segments, newest first, on the calling thread, with a reader's caches. */
export function openSegments(dataDir: string): { segments: OpenSegment[]; close(): void } {
  const folder = join(dataDir, "archive");
  const entries = readEntries(folder);
  const caches = threadCaches();
  const segments = entries.map((entry) => ({
    entry,
    segment: openSegment(segmentPath(folder, entry), entry.platform, cacheKib, caches),
  }));
  return {
    segments,
    close: () => {
      for (const { segment } of segments) segment.close();
    },
  };
}

export function readEntries(folder: string): SegmentEntry[] {
  const catalog = openForReading(catalogPath(folder), 1_000);
  const entries = readSegments(catalog).sort((a, b) => (a.low > b.low ? -1 : 1));
  catalog.close();
  return entries;
}

/** Runs on the calling thread. */
export const openReader = (dataDir: string): Reader =>
  createReader(join(dataDir, "archive"), 64 * cacheKib, systemClock, threadCaches());

const shares = memoryShares(archiveDefaults.memoryBytes, 2);
const sharedIds = createIdCache(shares.ids);

const threadCaches = (): SealedCaches => createSealedCaches(shares.terms, useIdCache(sharedIds));

export function planFor(query: string, reader: Reader): PlannedQuery {
  const { tree } = parseQuery(query);
  const names = reader.operations.resolve(namesIn(tree));
  const plan = makePlan(tree, { names, asOfMs: 0 });
  const bounds = extractBounds(plan, { fromMs: null, toMs: null });
  const lowered = platformQuery("x", bounds);
  if (lowered === null) throw new Error(`${query} matches nothing on X`);
  const { fromMs, toMs } = bounds;
  return {
    plan,
    query: lowered,
    match: lowered.expression ?? "",
    ids: {
      low: fromMs === null ? 0n : lowestId(fromMs),
      high: toMs === null ? lastId : lowestId(toMs) - 1n,
    },
  };
}

const never = (): boolean => false;

export function newestIds(
  segments: readonly OpenSegment[],
  { query, ids }: PlannedQuery,
): bigint[] {
  const foundIds: bigint[] = [];
  for (const { entry, segment } of segments) {
    const low = entry.low > ids.low ? entry.low : ids.low;
    const high = entry.high < ids.high ? entry.high : ids.high;
    if (low > high) continue;
    const segmentQuery = {
      ...query,
      skew: entry.skew,
      lastWrittenInCommit: entry.lastWrittenInCommit,
    };
    const answer = segment.search(segmentQuery, { low, high }, limit - foundIds.length, never);
    foundIds.push(...answer.ids);
    if (foundIds.length >= limit) break;
  }
  return foundIds;
}

export function countContainers(
  segments: readonly OpenSegment[],
  { query, ids }: PlannedQuery,
): number {
  let containers = 0;
  let foundCount = 0;
  for (const { entry, segment } of segments) {
    if (foundCount >= limit) break;
    const answer = segment.search(
      { ...query, skew: entry.skew, lastWrittenInCommit: entry.lastWrittenInCommit },
      ids,
      limit - foundCount,
      never,
    );
    containers += answer.containers;
    foundCount += answer.ids.length;
  }
  return containers;
}

/** Parameters per statement; unused ones find nothing, as in the archive. */
const sizes = [1, 16, limit] as const;

export type RawEngine = {
  newest(query: PlannedQuery): number;
  texts(ids: readonly bigint[]): number;
  count(match: string): number;
  hours(match: string): number;
  close(): void;
};

export function openRawEngines(path: string, segments: number): RawEngine {
  const raw = openRaw(path, cacheKib * segments, limit);
  // Texts have their own cache of the same size.
  const texts = new DatabaseSync(path, { readOnly: true });
  texts.exec(`PRAGMA cache_size = -${cacheKib * segments}; PRAGMA mmap_size = 0`);
  const bySize = new Map<number, StatementSync>();
  const count = texts.prepare("SELECT count(*) AS posts FROM term WHERE term MATCH ?");
  const hours = texts.prepare(
    "SELECT (rowid >> 22) / 3600000 AS hour, count(*) AS posts FROM term WHERE term MATCH ? GROUP BY hour",
  );

  function statementFor(ids: number): StatementSync {
    const size = sizes.find((other) => other >= ids) ?? limit;
    const cachedStatement = bySize.get(size);
    if (cachedStatement !== undefined) return cachedStatement;
    const values = Array.from({ length: size }, () => "(?)").join(",");
    const statement = texts.prepare(
      `WITH requested(id) AS (VALUES ${values}) SELECT post.id, post.text FROM requested CROSS JOIN post ON post.id = requested.id`,
    );
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    bySize.set(size, statement);
    return statement;
  }

  return {
    newest: ({ match, ids }) => raw.selectNewest.all(match, ids.low, ids.high).length,
    texts: (ids) => (ids.length === 0 ? 0 : statementFor(ids.length).all(...ids).length),
    count: (match) => Number(count.get(match)?.posts),
    hours: (match) => hours.all(match).length,
    close: () => {
      raw.close();
      texts.close();
    },
  };
}
