import { createHash } from "node:crypto";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { Segment } from "../segments/segment.ts";
import type { PlatformQuery } from "./platform-query.ts";

export type KnownCounts = {
  /** The counted span, aligned to buckets, Unix milliseconds; empty if `fromMs` equals `toMs`. */
  fromMs: number;
  toMs: number;
  counts: Map<number, number>;
  cuts: Map<string, number>;
};

export type CountCache = {
  find(queryKey: string, segment: Segment, entry: SegmentEntry, version: number): KnownCounts;
  keep(
    queryKey: string,
    segment: Segment,
    entry: SegmentEntry,
    version: number,
    known: KnownCounts,
  ): void;
};

/** About 60 bytes each. */
const maxNumbers = 250_000;
/** Bound per query and segment. Larger answers are not cached. */
const maxNumbersOfQuery = 100_000;
const maxCuts = 16;
const numbersOfEntry = 8;

type Remembered = {
  segment: Segment;
  version: number;
  low: bigint;
  high: bigint;
  known: KnownCounts;
  weight: number;
};

export function createCountCache(): CountCache {
  const remembered = new Map<string, Remembered>();
  let weight = 0;

  function forget(key: string): void {
    weight -= remembered.get(key)?.weight ?? 0;
    remembered.delete(key);
  }

  function find(
    queryKey: string,
    segment: Segment,
    entry: SegmentEntry,
    version: number,
  ): KnownCounts {
    const key = keyOf(queryKey, entry);
    const found = remembered.get(key);
    const isSame =
      found !== undefined &&
      found.segment === segment &&
      found.version === version &&
      found.low === entry.low &&
      found.high === entry.high;
    if (isSame) return found.known;
    forget(key);
    return { fromMs: 0, toMs: 0, counts: new Map(), cuts: new Map() };
  }

  function keep(
    queryKey: string,
    segment: Segment,
    entry: SegmentEntry,
    version: number,
    known: KnownCounts,
  ): void {
    const key = keyOf(queryKey, entry);
    forget(key);
    const entryWeight = known.counts.size + known.cuts.size + numbersOfEntry;
    if (entryWeight > maxNumbersOfQuery) return;
    for (const cut of known.cuts.keys()) {
      if (known.cuts.size <= maxCuts) break;
      known.cuts.delete(cut);
    }
    const { low, high } = entry;
    remembered.set(key, { segment, version, low, high, known, weight: entryWeight });
    weight += entryWeight;
    for (const oldest of remembered.keys()) {
      if (weight <= maxNumbers) return;
      forget(oldest);
    }
  }

  return { find, keep };
}

const keyOf = (queryKey: string, { platform, sequence }: SegmentEntry): string =>
  `${platform} ${sequence} ${queryKey}`;

export function queryKeyOf(
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
