import { existsSync, writeFileSync } from "node:fs";
import { isDamage } from "../sealed/damage.ts";

/**
 * A file beside a segment says that its sealed index cannot be read, or may not fit its rows: the segment is searched row by row
 * until upkeep has made it anew.
 */
export const damageMarkerOf = (segmentPath: string): string =>
  segmentPath.replace(/\.db$/, ".damaged");

export const isMarkedDamaged = (segmentPath: string): boolean =>
  existsSync(damageMarkerOf(segmentPath));

/** Puts the marker there as well as it can be: who cannot write finds out alone, each time anew. */
export function markDamaged(segmentPath: string): void {
  try {
    writeFileSync(damageMarkerOf(segmentPath), "");
  } catch {
    // The folder is full or closed to this process.
  }
}

/**
 * What `work` makes of the sealed index of a segment; `otherwise`, where that was marked as damaged, or turns out to be, also when
 * `work` has begun: then it is marked.
 */
export function guardedBySeal<Value>(
  segmentPath: string,
  work: () => Value,
  otherwise: () => Value,
): Value {
  return isMarkedDamaged(segmentPath) ? otherwise() : markingDamage(segmentPath, work, otherwise);
}

/** The same for an index that was opened before: that there is a marker need not be looked up again. */
export function markingDamage<Value>(
  segmentPath: string,
  work: () => Value,
  otherwise: () => Value,
): Value {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    markDamaged(segmentPath);
  }
  return otherwise();
}
