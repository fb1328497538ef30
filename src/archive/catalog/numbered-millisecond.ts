import { lastInMillisecond, numberOfHash } from "../../posts/ids.ts";

/** A post that may have any number; `id` is the one that it has now. */
type UnnumberedPost = { id: bigint; uriHash: string };

/**
 * The IDs of all posts of one millisecond, by the IDs that they have now: what `number-slots.ts` comes to, one post after another.
 * `low` is the first ID of the millisecond, `fixed` has the IDs that are not to be given.
 */
export function numberMillisecond(
  low: bigint,
  posts: readonly UnnumberedPost[],
  fixed: ReadonlySet<bigint>,
): Map<bigint, bigint> {
  const sorted = posts.toSorted((a, b) => (a.uriHash < b.uriHash ? -1 : 1));
  const numbered: { id: bigint; to: bigint }[] = [];
  let free = low;
  for (const { id, uriHash } of sorted) {
    const wanted = low | numberOfHash(uriHash);
    if (wanted > free) free = wanted;
    while (fixed.has(free)) free += 1n;
    numbered.push({ id, to: free });
    free += 1n;
  }
  // What reaches beyond the end of the millisecond is pushed back.
  let highest = lastInMillisecond(low);
  for (const post of numbered.toReversed()) {
    while (fixed.has(highest)) highest -= 1n;
    if (post.to <= highest) break;
    post.to = highest;
    highest -= 1n;
  }
  return new Map(numbered.map(({ id, to }) => [id, to]));
}
