export type IndexedPosts = Uint8Array;

const several = 2;

export function cover(coverage: IndexedPosts, number: number): void {
  coverage[number] = Math.min(several, (coverage[number] as number) + 1);
}

export function coverageErrorOf(coverage: IndexedPosts): string | null {
  let missing = 0;
  let repeated = 0;
  for (const indexes of coverage) {
    if (indexes === 0) missing += 1;
    if (indexes === several) repeated += 1;
  }
  if (missing === 0 && repeated === 0) return null;
  return `of ${coverage.length} posts ${missing} are in no index, and ${repeated} in more than one`;
}
