import type { Bytes } from "./byte-writer.ts";
import { clearPostings, closeRun, type Postings } from "./postings.ts";
import { compareTerms, type TermSource } from "./term-source.ts";

export type MergedTerms = {
  /** Valid until the next call; null after the last. Leaves the term's postings for `take`. */
  next(): Bytes | null;
  take(max: number): boolean;
  postings: Postings;
  holdsPositions(): boolean;
};

export function mergeTerms(sources: readonly TermSource[], postings: Postings): MergedTerms {
  const open = sources.filter((source) => source.next());
  const having: TermSource[] = [];
  let used = 0;

  function advance(): void {
    for (const source of having) if (!source.next()) open.splice(open.indexOf(source), 1);
    having.length = 0;
    used = 0;
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
    take(max) {
      for (; used < having.length; used += 1) {
        if (having[used]?.take(postings, max) === false) return false;
        closeRun(postings);
        if (postings.posts >= max && used + 1 < having.length) {
          used += 1;
          return false;
        }
      }
      return true;
    },
  };
}
