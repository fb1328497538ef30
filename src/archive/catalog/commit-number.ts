import type { DatabaseSync } from "node:sqlite";
import { putSetting, readSetting } from "./catalog.ts";

/**
 * Each segment stores the number of the last catalog commit that wrote to it. Segments commit
 * first, so a crash can leave them one commit ahead. If a segment is further ahead, the catalog is
 * an older copy.
 */
export type CommitNumber = {
  /** The first call in a transaction allocates the number. */
  current(): number;
  reset(): void;
};

export function openCommitNumber(catalog: DatabaseSync): CommitNumber {
  let commit: number | null = null;
  return {
    current: () => {
      commit ??= allocateCommitNumber(catalog);
      return commit;
    },
    reset: () => {
      commit = null;
    },
  };
}

/** Call once per transaction. */
export function allocateCommitNumber(catalog: DatabaseSync): number {
  const number = Number(readSetting(catalog, "commit_number")) + 1;
  putSetting(catalog, "commit_number", number);
  return number;
}
