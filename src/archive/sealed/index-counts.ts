/** The number of indexes that contain each post, at most `several`. */
export type IndexCounts = Uint8Array;

const several = 2;

export function countIndex(indexCounts: IndexCounts, number: number): void {
  indexCounts[number] = Math.min(several, (indexCounts[number] as number) + 1);
}

export function indexCountError(indexCounts: IndexCounts): string | null {
  let missing = 0;
  let repeated = 0;
  for (const indexes of indexCounts) {
    if (indexes === 0) missing += 1;
    if (indexes === several) repeated += 1;
  }
  if (missing === 0 && repeated === 0) return null;
  return `${missing} of ${indexCounts.length} posts are in no index, and ${repeated} are in more than one`;
}
