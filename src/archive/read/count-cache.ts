import { createHash } from "node:crypto";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { Segment } from "../segments/segment.ts";
import type { PlatformQuery } from "./platform-query.ts";

export type KnownCounts = {
  /** The counted span in Unix milliseconds, aligned to buckets; empty if `fromMs` equals `toMs`. */
  fromMs: number;
  toMs: number;
  counts: Map<number, number>;
  /** The counts of buckets that the window's bounds shorten, by span. */
  partialCounts: Map<string, number>;
};

export type CountCache = {
  find(queryKey: string, segment: Segment, entry: SegmentEntry, version: number): KnownCounts;
  put(
    queryKey: string,
    segment: Segment,
    entry: SegmentEntry,
    version: number,
    knownCounts: KnownCounts,
  ): void;
};

/** Each count takes about 60 bytes. */
const maxCachedCounts = 250_000;
/** Per query and segment. Larger results are not cached. */
const maxCountsPerQuery = 100_000;
const maxPartialCounts = 16;
const entryWeightInCounts = 8;

type CachedCounts = {
  segment: Segment;
  version: number;
  low: bigint;
  high: bigint;
  knownCounts: KnownCounts;
  weight: number;
};

export function createCountCache(): CountCache {
  const entries = new Map<string, CachedCounts>();
  let weight = 0;

  function remove(key: string): void {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  }

  function find(
    queryKey: string,
    segment: Segment,
    entry: SegmentEntry,
    version: number,
  ): KnownCounts {
    const key = makeKey(queryKey, entry);
    const found = entries.get(key);
    const isCurrent =
      found !== undefined &&
      found.segment === segment &&
      found.version === version &&
      found.low === entry.low &&
      found.high === entry.high;
    if (isCurrent) return found.knownCounts;
    remove(key);
    return { fromMs: 0, toMs: 0, counts: new Map(), partialCounts: new Map() };
  }

  function put(
    queryKey: string,
    segment: Segment,
    entry: SegmentEntry,
    version: number,
    knownCounts: KnownCounts,
  ): void {
    const key = makeKey(queryKey, entry);
    remove(key);
    const entryWeight =
      knownCounts.counts.size + knownCounts.partialCounts.size + entryWeightInCounts;
    if (entryWeight > maxCountsPerQuery) return;
    for (const span of knownCounts.partialCounts.keys()) {
      if (knownCounts.partialCounts.size <= maxPartialCounts) break;
      knownCounts.partialCounts.delete(span);
    }
    const { low, high } = entry;
    entries.set(key, { segment, version, low, high, knownCounts, weight: entryWeight });
    weight += entryWeight;
    for (const oldest of entries.keys()) {
      if (weight <= maxCachedCounts) return;
      remove(oldest);
    }
  }

  return { find, put };
}

const makeKey = (queryKey: string, { platform, sequence }: SegmentEntry): string =>
  `${platform} ${sequence} ${queryKey}`;

export function countCacheKey(
  { expression, residual }: Pick<PlatformQuery, "expression" | "residual">,
  bounds: { lowId: bigint | null; highId: bigint | null },
  widthMs: number,
): string {
  const text = JSON.stringify(
    [expression, residual, bounds.lowId, bounds.highId, widthMs],
    (_, value) => (typeof value === "bigint" ? `${value}n` : value),
  );
  return createHash("sha256").update(text).digest("base64");
}
