import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDamage } from "../sealed/damage.ts";

/**
 * A file beside a segment says that its sealed index cannot be read, or may not fit its rows: the segment is searched row by row
 * until upkeep has made it anew.
 */
export const damageMarkerOf = (segmentPath: string): string =>
  segmentPath.replace(/\.db$/, ".damaged");

export const isMarkedDamaged = (segmentPath: string): boolean =>
  existsSync(damageMarkerOf(segmentPath));

/** The tables that the marker of a segment names; none where there is no marker, or it names none. */
export function markedTables(segmentPath: string): string[] {
  try {
    return readFileSync(damageMarkerOf(segmentPath), "utf8").split("\n");
  } catch {
    return [];
  }
}

/**
 * Puts the marker there as well as it can be, with the tables that do not match their sums: a process that cannot write finds out
 * alone, each time again.
 */
export function markDamaged(segmentPath: string, tables: readonly string[] = []): void {
  try {
    const named = new Set([...markedTables(segmentPath), ...tables].filter((name) => name !== ""));
    writeFileSync(damageMarkerOf(segmentPath), [...named].join("\n"));
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
