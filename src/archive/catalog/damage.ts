import { type IdRange, idsWindow } from "../../posts/ids.ts";
import type { Damage } from "../archive.ts";
import type { SegmentEntry } from "./catalog.ts";

const maxSpans = 50;

export function segmentDamage(
  { platform, sequence, skew }: Pick<SegmentEntry, "platform" | "sequence" | "skew">,
  ids: readonly IdRange[],
): Damage[] {
  const ranges = ids.length <= maxSpans ? ids : [hullOf(ids)];
  return ranges.map(({ low, high }) => ({ platform, sequence, ...idsWindow(low, high, skew) }));
}

const hullOf = (ids: readonly IdRange[]): IdRange => ({
  low: ids.reduce((min, { low }) => (low < min ? low : min), ids[0]?.low ?? 0n),
  high: ids.reduce((max, { high }) => (high > max ? high : max), 0n),
});
