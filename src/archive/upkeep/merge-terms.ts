import type { DatabaseSync } from "node:sqlite";
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
  const changes = (): number => Number(written.get()?.changes);
  // A negative number puts all pieces together, so that those that follow go on until one is left.
  for (let pages = -pagesOfStep; ; pages = pagesOfStep) {
    const before = changes();
    yield* inLock(database, () => merge.run(pages));
    yield "worked";
    // The statement itself is one change.
    if (changes() - before < 2) return;
  }
}
