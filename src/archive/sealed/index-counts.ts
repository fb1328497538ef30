/** The number of indexes that contain each post, at most `maxCount`. */
export type IndexCounts = Uint8Array;

const maxCount = 2;

export function countIndex(indexCounts: IndexCounts, number: number): void {
  indexCounts[number] = Math.min(maxCount, (indexCounts[number] as number) + 1);
}

export function indexCountError(indexCounts: IndexCounts): string | null {
  let missingPosts = 0;
  let repeatedPosts = 0;
  for (const indexes of indexCounts) {
    if (indexes === 0) missingPosts += 1;
    if (indexes === maxCount) repeatedPosts += 1;
  }
  if (missingPosts === 0 && repeatedPosts === 0) return null;
  return `${missingPosts} of ${indexCounts.length} posts are in no index, and ${repeatedPosts} are in more than one`;
}
