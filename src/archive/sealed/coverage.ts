/** For each post that gets a number, how many of the indexes that are read answer for it: none, one, or `several`. */
export type Coverage = Uint8Array;

const several = 2;

/** Notes that an index answers for the post with this number. */
export function cover(coverage: Coverage, number: number): void {
  coverage[number] = Math.min(several, (coverage[number] as number) + 1);
}

/** What is wrong where some post is in none of the indexes, or in several; null where each is in one. */
export function coverageErrorOf(coverage: Coverage): string | null {
  let lacking = 0;
  let repeated = 0;
  for (const indexes of coverage) {
    if (indexes === 0) lacking += 1;
    if (indexes === several) repeated += 1;
  }
  if (lacking === 0 && repeated === 0) return null;
  return `of ${coverage.length} posts ${lacking} are in no index, and ${repeated} in more than one`;
}
