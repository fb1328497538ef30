import { hashNumber, lastInMillisecond } from "../../posts/ids.ts";

type UnnumberedPost = { id: bigint; uriHash: string };

/** In order of uri hashes, as in `write/number-slots.ts`. */
export function numberMillisecond(
  low: bigint,
  posts: readonly UnnumberedPost[],
  fixedIds: ReadonlySet<bigint>,
): Map<bigint, bigint> {
  const sorted = posts.toSorted((a, b) => (a.uriHash < b.uriHash ? -1 : 1));
  const numbered: { id: bigint; newId: bigint }[] = [];
  let nextFree = low;
  for (const { id, uriHash } of sorted) {
    const preferred = low | hashNumber(uriHash);
    if (preferred > nextFree) nextFree = preferred;
    while (fixedIds.has(nextFree)) nextFree += 1n;
    numbered.push({ id, newId: nextFree });
    nextFree += 1n;
  }
  // Posts numbered past the end of the millisecond move back.
  let highest = lastInMillisecond(low);
  for (const post of numbered.toReversed()) {
    while (fixedIds.has(highest)) highest -= 1n;
    if (post.newId <= highest) break;
    post.newId = highest;
    highest -= 1n;
  }
  return new Map(numbered.map(({ id, newId }) => [id, newId]));
}
