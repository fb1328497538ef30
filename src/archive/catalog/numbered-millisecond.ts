import { lastInMillisecond, numberOfHash } from "../../posts/ids.ts";

type UnnumberedPost = { id: bigint; uriHash: string };

/** Numbers posts in order of their uri hashes: each gets the number of its hash, or the next free one. */
export function numberMillisecond(
  low: bigint,
  posts: readonly UnnumberedPost[],
  fixed: ReadonlySet<bigint>,
): Map<bigint, bigint> {
  const sorted = posts.toSorted((a, b) => (a.uriHash < b.uriHash ? -1 : 1));
  const numbered: { id: bigint; newId: bigint }[] = [];
  let free = low;
  for (const { id, uriHash } of sorted) {
    const preferred = low | numberOfHash(uriHash);
    if (preferred > free) free = preferred;
    while (fixed.has(free)) free += 1n;
    numbered.push({ id, newId: free });
    free += 1n;
  }
  // Numbers past the end of the millisecond move back.
  let highest = lastInMillisecond(low);
  for (const post of numbered.toReversed()) {
    while (fixed.has(highest)) highest -= 1n;
    if (post.newId <= highest) break;
    post.newId = highest;
    highest -= 1n;
  }
  return new Map(numbered.map(({ id, newId }) => [id, newId]));
}
