import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { IdRange } from "../../posts/ids.ts";
import { isDamage } from "../sealed/damage.ts";

/** The file that marks a damaged index: searches read all rows until compaction rebuilds it. */
export const damageMarkerPath = (segmentPath: string): string =>
  segmentPath.replace(/\.db$/, ".damaged");

export const isMarkedDamaged = (segmentPath: string): boolean =>
  existsSync(damageMarkerPath(segmentPath));

export function markedTables(segmentPath: string): string[] {
  try {
    return readFileSync(damageMarkerPath(segmentPath), "utf8").split("\n");
  } catch {
    return [];
  }
}

export function markDamaged(segmentPath: string, tables: readonly string[] = []): void {
  try {
    const names = new Set([...markedTables(segmentPath), ...tables].filter((name) => name !== ""));
    writeFileSync(damageMarkerPath(segmentPath), [...names].join("\n"));
  } catch {
    // Full or read-only disk.
  }
}

/** Runs `fallback` if the segment is marked, or if `work` finds damage, which marks it. */
export function guardedByMarker<Value>(
  segmentPath: string,
  work: () => Value,
  fallback: () => Value,
): Value {
  return isMarkedDamaged(segmentPath) ? fallback() : markingDamage(segmentPath, work, fallback);
}

export function markingDamage<Value>(
  segmentPath: string,
  work: () => Value,
  fallback: () => Value,
): Value {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    markDamaged(segmentPath);
  }
  return fallback();
}

export const singleId = (id: bigint): IdRange => ({ low: id, high: id });
