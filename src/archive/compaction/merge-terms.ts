import type { DatabaseSync } from "node:sqlite";
import { tableSumsOf } from "../segments/table-sums.ts";
import { inLock, type Steps } from "./steps.ts";

/** Pages of the index that one step writes: some 1 MB. */
const pagesOfStep = 250;

/**
 * Merges the pieces of a segment's index into one, in short transactions between which others write. Not FTS5's `optimize`,
 * which would hold the write lock for seconds.
 */
export function* mergeTerms(database: DatabaseSync): Steps<void> {
  const merge = database.prepare("INSERT INTO term(term, rank) VALUES('merge', ?)");
  const written = database.prepare("SELECT total_changes() AS changes");
  const sums = tableSumsOf(database);
  const changes = (): number => Number(written.get()?.changes);
  // A negative number puts all pieces together, so that those that follow go on until one is left.
  for (let pages = -pagesOfStep; ; pages = pagesOfStep) {
    const before = changes();
    const after = yield* inLock(database, () => {
      sums.begin();
      merge.run(pages);
      const now = changes();
      sums.end();
      return now;
    });
    yield "worked";
    // The statement itself is one change.
    if (after - before < 2) return;
  }
}
