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
  const openSources = sources.filter((source) => source.next());
  const currentSources: TermSource[] = [];
  let sourceIndex = 0;

  function advance(): void {
    for (const source of currentSources)
      if (!source.next()) openSources.splice(openSources.indexOf(source), 1);
    currentSources.length = 0;
    sourceIndex = 0;
  }

  return {
    postings,
    isPositional: () => currentSources[0]?.isPositional() ?? false,
    next() {
      advance();
      clearPostings(postings);
      for (const source of openSources) {
        const [lowest] = currentSources;
        const order = lowest === undefined ? -1 : compareTerms(source.term, lowest.term);
        if (order < 0) currentSources.length = 0;
        if (order <= 0) currentSources.push(source);
      }
      return currentSources[0]?.term ?? null;
    },
    take(max) {
      for (; sourceIndex < currentSources.length; sourceIndex += 1) {
        if (currentSources[sourceIndex]?.take(postings, max) === false) return false;
        closeRun(postings);
        if (postings.posts >= max && sourceIndex + 1 < currentSources.length) {
          sourceIndex += 1;
          return false;
        }
      }
      return true;
    },
  };
}
