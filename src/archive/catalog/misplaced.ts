import type { DatabaseSync } from "node:sqlite";
import { firstInMillisecond, hasTime, idTimeMs, lastInMillisecond } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { tidMs } from "../../posts/tid.ts";

/**
 * Most uris of Bluesky tell when they were made, and a post lies near that time. One that claims another time lies elsewhere:
 * those few are listed here, so that looking for a uri never means looking into every segment.
 */
const nearMs = 86_400_000;

/** The time that a uri tells, Unix milliseconds; null where it tells none. */
export function uriTimeMs(platform: Platform, uri: string): number | null {
  return platform === "bluesky" ? tidMs(uri.slice(uri.lastIndexOf("/") + 1)) : null;
}

/** The times within which a post lies whose uri tells this one, unless it is listed as strayed. */
export const nearTime = (timeMs: number): { fromMs: number; toMs: number } => ({
  fromMs: timeMs - nearMs,
  toMs: timeMs + nearMs,
});

/** Whether a post lies far from the time that its uri tells; false where it tells none. */
export function isMisplaced(platform: Platform, uri: string, id: bigint): boolean {
  const toldMs = uriTimeMs(platform, uri);
  if (toldMs === null) return false;
  return !hasTime(id) || Math.abs(idTimeMs(id) - toldMs) > nearMs;
}

/** A post is listed by an ID of its millisecond: it may get another number there. */
export type MisplacedPosts = {
  /** False when it is listed already. */
  add(platform: Platform, hash: bigint, id: bigint): boolean;
  remove(platform: Platform, hash: bigint, id: bigint): void;
  isListed(platform: Platform, hash: bigint, id: bigint): boolean;
  /** An ID of each millisecond in which a post with this hash is listed. */
  idsOf(platform: Platform, hash: bigint): bigint[];
};

export function misplacedPostsOf(catalog: DatabaseSync): MisplacedPosts {
  const add = catalog.prepare("INSERT OR IGNORE INTO strayed VALUES(?, ?, ?)");
  const remove = catalog.prepare(
    "DELETE FROM strayed WHERE platform = ? AND hash = ? AND id BETWEEN ? AND ?",
  );
  const listed = catalog.prepare(
    "SELECT 1 FROM strayed WHERE platform = ? AND hash = ? AND id BETWEEN ? AND ?",
  );
  const find = catalog.prepare("SELECT id FROM strayed WHERE platform = ? AND hash = ?");
  find.setReadBigInts(true);
  const isListed = (platform: Platform, hash: bigint, id: bigint): boolean =>
    listed.get(platform, hash, firstInMillisecond(id), lastInMillisecond(id)) !== undefined;
  return {
    add: (platform, hash, id) =>
      !isListed(platform, hash, id) && add.run(platform, hash, firstInMillisecond(id)).changes > 0,
    remove: (platform, hash, id) => {
      remove.run(platform, hash, firstInMillisecond(id), lastInMillisecond(id));
    },
    isListed,
    idsOf: (platform, hash) => find.all(platform, hash).map((row) => row.id as bigint),
  };
}
