import type { DatabaseSync } from "node:sqlite";
import { putSetting, readSetting } from "./catalog.ts";

/**
 * The commits of the catalog that segments take part in are numbered, and each segment notes the last one in which it was
 * written. Segments are committed before the catalog, so that a crash can leave one commit that the catalog does not know:
 * a segment that is further ahead shows that the catalog is older than it.
 */
export type CommitNumber = {
  /** The number of the transaction that is open; counted at the first call within it. */
  current(): number;
  /** A transaction begins. */
  reset(): void;
};

export function commitNumberOf(catalog: DatabaseSync): CommitNumber {
  let counted: number | null = null;
  return {
    current: () => {
      counted ??= countCommit(catalog);
      return counted;
    },
    reset: () => {
      counted = null;
    },
  };
}

/** Counts the transaction that is open; once in each. */
export function countCommit(catalog: DatabaseSync): number {
  const number = Number(readSetting(catalog, "commit_number")) + 1;
  putSetting(catalog, "commit_number", number);
  return number;
}
