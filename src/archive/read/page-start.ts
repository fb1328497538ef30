import { firstInMillisecond, hashNumber, lastInMillisecond, uriHash } from "../../posts/ids.ts";
import type { Position } from "../archive.ts";
import { currentNumbering, type SegmentEntry } from "../catalog/catalog.ts";
import { findStoredIds, formerId, postsWithin } from "../catalog/other-ids.ts";
import type { PostLookup } from "../segments/lookup.ts";

export type PageStart = {
  below: bigint;
  seen: ReadonlySet<bigint>;
};

const none: ReadonlySet<bigint> = new Set();

/**
 * Posts in the same millisecond are ordered by `uriHash` on every server, so that a page starts at
 * the same post even if a server lacks a post or numbers it differently. Positions issued by an
 * earlier release are ordered by number: `seen` then lists the posts of earlier pages, which are
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
    return { below: firstFrom(lookup, id, hash), seen: none };
  if (lookup.has(id)) return { below: id, seen: none };
  const currentId = findStoredIds(lookup, uriKey, [id]).get(id);
  if (currentId === undefined) return { below: id, seen: none };
  if (!isOrdered) return { below: currentId, seen: none };
  const low = firstInMillisecond(id);
  const seen = postsWithin(lookup, low).filter(
    (post) => (post.uri === null ? post.id : formerId(low, post.uri, uriKey)) >= id,
  );
  return {
    below: lastInMillisecond(id) + 1n,
    seen: new Set([currentId, ...seen.map((post) => post.id)]),
  };
}

/**
 * The first ID in the millisecond whose post has this hash or a higher one, or else the ID after
 * the millisecond.
 */
function firstFrom(lookup: PostLookup<unknown>, id: bigint, hash: string): bigint {
  const low = firstInMillisecond(id);
  const high = lastInMillisecond(id);
  const isBefore = (other: bigint): boolean => {
    const uri = lookup.findById(other)?.uri ?? "";
    return uri === "" ? other < id : uriHash(uri) < hash;
  };
  let below = lookup.lowestId(low | hashNumber(hash), high);
  while (below !== null && isBefore(below)) below = lookup.lowestId(below + 1n, high);
  let first = below ?? high + 1n;
  for (;;) {
    const previous = lookup.highestId(low, first - 1n);
    if (previous === null || isBefore(previous)) return first;
    first = previous;
  }
}
