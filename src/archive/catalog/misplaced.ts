import type { DatabaseSync } from "node:sqlite";
import {
  firstInMillisecond,
  hasTime,
  idTimeMs,
  lastInMillisecond,
  tidMs,
} from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";

/**
 * Most Bluesky uris contain a creation time, and the post is stored near it. The catalog lists
 * exceptions, so that lookups of such uris search few segments.
 */
const maxDistanceMs = 86_400_000;

export function uriTimeMs(platform: Platform, uri: string): number | null {
  return platform === "bluesky" ? tidMs(uri.slice(uri.lastIndexOf("/") + 1)) : null;
}

export const spanAround = (timeMs: number): { fromMs: number; toMs: number } => ({
  fromMs: timeMs - maxDistanceMs,
  toMs: timeMs + maxDistanceMs,
});

export function isMisplaced(platform: Platform, uri: string, id: bigint): boolean {
  const uriMs = uriTimeMs(platform, uri);
  if (uriMs === null) return false;
  return !hasTime(id) || Math.abs(idTimeMs(id) - uriMs) > maxDistanceMs;
}

export type MisplacedPosts = {
  add(platform: Platform, hash: bigint, id: bigint): boolean;
  remove(platform: Platform, hash: bigint, id: bigint): void;
  isListed(platform: Platform, hash: bigint, id: bigint): boolean;
  /** One ID per millisecond with such a post, not necessarily the post's own. */
  misplacedIds(platform: Platform, hash: bigint): bigint[];
};

export function openMisplacedPosts(catalog: DatabaseSync): MisplacedPosts {
  const insertPost = catalog.prepare("INSERT OR IGNORE INTO misplaced VALUES(?, ?, ?)");
  const deleteIdRange = catalog.prepare(
    "DELETE FROM misplaced WHERE platform = ? AND hash = ? AND id BETWEEN ? AND ?",
  );
  const selectIdRange = catalog.prepare(
    "SELECT 1 FROM misplaced WHERE platform = ? AND hash = ? AND id BETWEEN ? AND ?",
  );
  const selectIds = catalog.prepare("SELECT id FROM misplaced WHERE platform = ? AND hash = ?");
  selectIds.setReadBigInts(true);
  const isListed = (platform: Platform, hash: bigint, id: bigint): boolean =>
    selectIdRange.get(platform, hash, firstInMillisecond(id), lastInMillisecond(id)) !== undefined;
  return {
    add: (platform, hash, id) =>
      !isListed(platform, hash, id) &&
      insertPost.run(platform, hash, firstInMillisecond(id)).changes > 0,
    remove: (platform, hash, id) => {
      deleteIdRange.run(platform, hash, firstInMillisecond(id), lastInMillisecond(id));
    },
    isListed,
    misplacedIds: (platform, hash) => selectIds.all(platform, hash).map((row) => row.id as bigint),
  };
}
