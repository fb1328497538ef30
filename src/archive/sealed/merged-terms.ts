import type { Bytes } from "./bytes.ts";
import { clearPostings, closeRun, type Postings } from "./postings.ts";
import { compareTerms, type TermSource } from "./term-source.ts";

export type MergedTerms = {
  /** The next term, valid until the next call; null after the last. `take` adds its postings. */
  next(): Bytes | null;
  take(max: number): boolean;
  postings: Postings;
  isPositional(): boolean;
};

export function mergeTerms(sources: readonly TermSource[], postings: Postings): MergedTerms {
  const open = sources.filter((source) => source.next());
  const current: TermSource[] = [];
  let used = 0;

  function advance(): void {
    for (const source of current) if (!source.next()) open.splice(open.indexOf(source), 1);
    current.length = 0;
    used = 0;
  }

  return {
    postings,
    isPositional: () => current[0]?.isPositional() ?? false,
    next() {
      advance();
      clearPostings(postings);
      for (const source of open) {
        const [lowest] = current;
        const order = lowest === undefined ? -1 : compareTerms(source.term, lowest.term);
        if (order < 0) current.length = 0;
        if (order <= 0) current.push(source);
      }
      return current[0]?.term ?? null;
    },
    take(max) {
      for (; used < current.length; used += 1) {
        if (current[used]?.take(postings, max) === false) return false;
        closeRun(postings);
        if (postings.posts >= max && used + 1 < current.length) {
          used += 1;
          return false;
        }
      }
      return true;
    },
  };
}
