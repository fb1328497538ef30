import type { Platform } from "../posts/post.ts";
import { readTarget } from "./read-target.ts";
import type { SearchPlatform } from "./source.ts";
import type { PostTarget, Target } from "./target.ts";

export function isRecordId(target: Target): target is PostTarget & { id: string } {
  if (target.kind !== "post" || target.platform === "x") return false;
  const { id, uri, host } = target;
  return id !== null && uri === null && host === null && /^\d{1,19}$/.test(id);
}

/** Includes server and id if the URI names them. */
export function recordTarget(
  { platform, uri }: { platform: Platform; uri: string },
  target: PostTarget,
  requestedPlatform: SearchPlatform,
): PostTarget {
  try {
    const parsed = readTarget("post", uri, requestedPlatform);
    if (parsed.kind === "post" && parsed.platform === platform) return { ...parsed, uri };
  } catch {
    // Imported posts may have arbitrary URIs.
  }
  return { ...target, platform, uri, id: null };
}
