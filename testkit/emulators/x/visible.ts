import type { Call } from "./call.ts";
import type { EmulatedPost } from "./model.ts";

/** Returns the newest first. */
export function visiblePosts({ world, userId }: Call): EmulatedPost[] {
  const hiddenUserIds = new Set(
    world.users
      .filter(
        ({ id, isSuspended, isProtected, followers = [] }) =>
          isSuspended || (isProtected && userId !== id && !followers.includes(userId ?? "")),
      )
      .map(({ id }) => id),
  );
  return world.posts
    .filter(({ authorId }) => !hiddenUserIds.has(authorId))
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
}
