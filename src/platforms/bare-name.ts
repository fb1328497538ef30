import type { Platform } from "../posts/post.ts";
import { isHandle } from "./bluesky/at-uri.ts";
import type { Target, UserTarget } from "./target.ts";
import { isXHandle, makeUserTarget } from "./target-names.ts";

const blueskyHandleSuffix = ".bsky.social";

export type BareName = UserTarget & { platform: null; handle: string };

export const isBareName = (target: Target): target is BareName =>
  target.kind === "user" && target.platform === null && target.handle !== null;

export function accountTarget(platform: Platform, name: string): UserTarget | null {
  if (platform === "mastodon") return makeUserTarget(platform, { handle: name });
  if (platform === "x") return isXHandle(name) ? makeUserTarget(platform, { handle: name }) : null;
  const handle = `${name.toLowerCase()}${blueskyHandleSuffix}`;
  return isHandle(handle) ? makeUserTarget(platform, { handle }) : null;
}

/** Matches `<name>.bsky.social` on Bluesky, and `<name>` on any server on Mastodon. */
export function nameMatches(name: string, { platform, handle }: UserTarget): boolean {
  if (platform === null || handle === null) return false;
  const [lowerName, lowerHandle] = [name.toLowerCase(), handle.toLowerCase()];
  if (platform === "bluesky") return lowerHandle === `${lowerName}${blueskyHandleSuffix}`;
  return (
    lowerHandle === lowerName ||
    (platform === "mastodon" && lowerHandle.startsWith(`${lowerName}@`))
  );
}
