import { lookupHash, nextInMillisecond, numberedId, parseXId, uriNumber } from "../../posts/ids.ts";
import type { IdentifiedPost, UnknownPost } from "../archive.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { MisplacedPosts } from "../catalog/misplaced.ts";
import type { PostLookup } from "../segments/lookup.ts";
import { findStored, owner } from "./placement.ts";

export type Lookups = {
  uriKey: string;
  segments: readonly SegmentEntry[];
  openLookup(entry: SegmentEntry): PostLookup<{ id: bigint }>;
  misplacedPosts: Pick<MisplacedPosts, "misplacedIds">;
};

export function identifyPosts(lookups: Lookups, posts: readonly UnknownPost[]): IdentifiedPost[] {
  const uriById = new Map<string, string>();
  return posts.map((post) => identify(lookups, post, uriById));
}

function identify(
  { uriKey, segments, openLookup, misplacedPosts }: Lookups,
  { platform, uri, timeMs }: UnknownPost,
  uriById: Map<string, string>,
): IdentifiedPost {
  const entries = segments.filter((entry) => entry.platform === platform);
  const nativeId = platform === "x" ? parseXId(uri) : null;
  const expectedId = nativeId ?? numberedId(timeMs, uriNumber(uri));
  const found =
    entries.length === 0
      ? null
      : findStored(
          { entries, openWriter: openLookup, misplacedPosts },
          {
            platform,
            uri,
            hash: nativeId === null ? lookupHash(uriKey, uri) : null,
            id: expectedId,
          },
        );
  if (found !== null) return { id: found.id, isStored: true };
  if (nativeId !== null) return { id: nativeId, isStored: false };

  const isUsed = (id: bigint): boolean => {
    const otherUri = uriById.get(`${platform} ${id}`);
    if (otherUri !== undefined) return otherUri !== uri;
    return entries.length > 0 && openLookup(owner(entries, id)).has(id);
  };
  let id = expectedId;
  while (isUsed(id)) {
    id = nextInMillisecond(id);
    if (id === expectedId) break;
  }
  uriById.set(`${platform} ${id}`, uri);
  return { id, isStored: false };
}
