import { firstInMillisecond, hashNumber, lastInMillisecond, uriHash } from "../../posts/ids.ts";
import type { Position } from "../archive.ts";
import { currentNumbering, type SegmentEntry } from "../catalog/catalog.ts";
import { findStoredIds, formerId, postsWithin } from "../catalog/other-ids.ts";
import type { PostLookup } from "../segments/lookup.ts";

export type PageStart = {
  belowId: bigint;
  seenIds: ReadonlySet<bigint>;
};

const noIds: ReadonlySet<bigint> = new Set();

/**
 * Posts in the same millisecond are ordered by `uriHash` on every server, so that a page starts at
 * the same post even if a server lacks a post or numbers it differently. Positions issued by an
 * earlier release are ordered by number: `seenIds` then lists the posts of earlier pages, which are
 * omitted.
 */
export function pageStart(
  after: Position,
  entry: Pick<SegmentEntry, "platform" | "numbering">,
  lookup: PostLookup<unknown>,
  uriKey: string,
): PageStart {
  const { id, uriHash: hash } = after;
  const isOrdered = entry.numbering === currentNumbering;
  if (isOrdered && entry.platform !== "x" && hash !== undefined)
    return { belowId: firstIdFrom(lookup, id, hash), seenIds: noIds };
  if (lookup.has(id)) return { belowId: id, seenIds: noIds };
  const currentId = findStoredIds(lookup, uriKey, [id]).get(id);
  if (currentId === undefined) return { belowId: id, seenIds: noIds };
  if (!isOrdered) return { belowId: currentId, seenIds: noIds };
  const low = firstInMillisecond(id);
  const seenPosts = postsWithin(lookup, low).filter(
    (post) => (post.uri === null ? post.id : formerId(low, post.uri, uriKey)) >= id,
  );
  return {
    belowId: lastInMillisecond(id) + 1n,
    seenIds: new Set([currentId, ...seenPosts.map((post) => post.id)]),
  };
}

/**
 * The first ID in the millisecond whose post has this hash or a higher one, or else the ID after
 * the millisecond.
 */
function firstIdFrom(lookup: PostLookup<unknown>, id: bigint, hash: string): bigint {
  const low = firstInMillisecond(id);
  const high = lastInMillisecond(id);
  const isBefore = (other: bigint): boolean => {
    const uri = lookup.findById(other)?.uri ?? "";
    return uri === "" ? other < id : uriHash(uri) < hash;
  };
  let candidate = lookup.lowestId(low | hashNumber(hash), high);
  while (candidate !== null && isBefore(candidate))
    candidate = lookup.lowestId(candidate + 1n, high);
  let first = candidate ?? high + 1n;
  for (;;) {
    const previous = lookup.highestId(low, first - 1n);
    if (previous === null || isBefore(previous)) return first;
    first = previous;
  }
}
