import type { Platform } from "../posts/post.ts";
import { readTarget } from "./read-target.ts";
import type { SearchPlatform } from "./source.ts";
import type { PostTarget, Target } from "./target.ts";

/** Whether a post is named by a number alone, which may be the ID of a record. */
export function isRecordId(target: Target): target is PostTarget & { id: string } {
  if (target.kind !== "post" || target.platform === "x") return false;
  const { id, uri, host } = target;
  return id !== null && uri === null && host === null && /^\d{1,19}$/.test(id);
}

/**
 * What the ID of a record stands for once its post is known: as the uri of that says it, which may tell the server and the id
 * there too. `path` is the platform that was asked.
 */
export function targetOfRecord(
  { platform, uri }: { platform: Platform; uri: string },
  target: PostTarget,
  path: SearchPlatform,
): PostTarget {
  try {
    const read = readTarget("post", uri, path);
    if (read.kind === "post" && read.platform === platform) return { ...read, uri };
  } catch {
    // A file that was imported may call a post by whatever it likes.
  }
  return { ...target, platform, uri, id: null };
}
