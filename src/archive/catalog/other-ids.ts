import {
  firstInMillisecond,
  hashNumber,
  keyedNumber,
  lastInMillisecond,
  parseXId,
  uriHash,
} from "../../posts/ids.ts";
import type { PostLookup } from "../segments/lookup.ts";

type Lookup = Pick<PostLookup<unknown>, "lowestId" | "findById">;

type MillisecondPost = { id: bigint; uri: string | null };

/**
 * Maps requested IDs to the stored IDs of the same posts. Earlier releases numbered posts by a hash
 * keyed per archive, and an archive that lacks a colliding post does not move the other post.
 */
export function findStoredIds(
  lookup: Lookup,
  uriKey: string,
  ids: readonly bigint[],
): Map<bigint, bigint> {
  const storedIds = new Map<bigint, bigint>();
  for (const [low, requestedIds] of Map.groupBy(ids, firstInMillisecond)) {
    const storedById = storedIdsIn(postsWithin(lookup, low), low, uriKey);
    for (const requestedId of requestedIds) {
      const id = storedById.get(requestedId);
      if (id !== undefined) storedIds.set(requestedId, id);
    }
  }
  return storedIds;
}

function storedIdsIn(
  posts: readonly MillisecondPost[],
  low: bigint,
  uriKey: string,
): ReadonlyMap<bigint, bigint> {
  const fixedIds = new Set(posts.flatMap(({ id, uri }) => (uri === null ? id : [])));
  const hashedPosts = posts.flatMap(({ id, uri }) => (uri === null ? [] : { id, uri }));
  const storedById = new Map<bigint, bigint>();
  for (const { id, uri } of hashedPosts) {
    const oldId = formerId(low, uri, uriKey);
    // A post whose number was taken got the next one.
    for (const otherId of [oldId + 1n, oldId]) {
      if (otherId === oldId || !storedById.has(otherId)) storedById.set(otherId, id);
    }
  }
  const unnumberedPosts = hashedPosts.map(({ id, uri }) => ({ id, uriHash: uriHash(uri) }));
  for (const [id, otherId] of numberMillisecond(low, unnumberedPosts, fixedIds))
    storedById.set(otherId, id);
  return storedById;
}

export const formerId = (low: bigint, uri: string, uriKey: string): bigint =>
  low | keyedNumber(uriKey, uri);

export function postsWithin(lookup: Lookup, low: bigint): MillisecondPost[] {
  const high = lastInMillisecond(low);
  const posts: MillisecondPost[] = [];
  for (let id = lookup.lowestId(low, high); id !== null; ) {
    const uri = lookup.findById(id)?.uri ?? "";
    posts.push({ id, uri: uri === "" || parseXId(uri) !== null ? null : uri });
    id = id === high ? null : lookup.lowestId(id + 1n, high);
  }
  return posts;
}

type UnnumberedPost = { id: bigint; uriHash: string };

/** Numbers posts in order of uri hashes, as in `write/id-allocator.ts`. */
export function numberMillisecond(
  low: bigint,
  posts: readonly UnnumberedPost[],
  fixedIds: ReadonlySet<bigint>,
): Map<bigint, bigint> {
  const sorted = posts.toSorted((a, b) => (a.uriHash < b.uriHash ? -1 : 1));
  const numberedPosts: { id: bigint; newId: bigint }[] = [];
  let nextFree = low;
  for (const { id, uriHash } of sorted) {
    const preferred = low | hashNumber(uriHash);
    if (preferred > nextFree) nextFree = preferred;
    while (fixedIds.has(nextFree)) nextFree += 1n;
    numberedPosts.push({ id, newId: nextFree });
    nextFree += 1n;
  }
  // Posts numbered past the end of the millisecond move back.
  let highest = lastInMillisecond(low);
  for (const post of numberedPosts.toReversed()) {
    while (fixedIds.has(highest)) highest -= 1n;
    if (post.newId <= highest) break;
    post.newId = highest;
    highest -= 1n;
  }
  return new Map(numberedPosts.map(({ id, newId }) => [id, newId]));
}
