import type { Bytes } from "./byte-writer.ts";
import { clearPostings, closeRun, type Postings } from "./postings.ts";
import { compareTerms, type TermSource } from "./term-source.ts";

/** The terms of several sources, each once, in the order of their UTF-8 bytes. */
export type MergedTerms = {
  /** Goes to the next term and returns it, valid until the next call; null after the last. Its postings are yet to be taken. */
  next(): Bytes | null;
  /** Takes some postings of the term; true when it has all of them, in ascending order. */
  take(most: number): boolean;
  postings: Postings;
  holdsPositions(): boolean;
};

export function mergeTerms(sources: readonly TermSource[], postings: Postings): MergedTerms {
  const open = sources.filter((source) => source.next());
  /** Those that have the term; of `taken` of them all postings have been taken. */
  const having: TermSource[] = [];
  let taken = 0;

  function advance(): void {
    for (const source of having) if (!source.next()) open.splice(open.indexOf(source), 1);
    having.length = 0;
    taken = 0;
  }

  return {
    postings,
    holdsPositions: () => having[0]?.holdsPositions() ?? false,
    next() {
      advance();
      clearPostings(postings);
      for (const source of open) {
        const [lowest] = having;
        const order = lowest === undefined ? -1 : compareTerms(source.term, lowest.term);
        if (order < 0) having.length = 0;
        if (order <= 0) having.push(source);
      }
      return having[0]?.term ?? null;
    },
    take(most) {
      for (; taken < having.length; taken += 1) {
        if (having[taken]?.take(postings, most) === false) return false;
        closeRun(postings);
        if (postings.posts >= most && taken + 1 < having.length) {
          taken += 1;
          return false;
        }
      }
      return true;
    },
  };
}
