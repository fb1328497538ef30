import type { Platform } from "../posts/post.ts";
import type { Config } from "./config.ts";

export function streamedPlatforms({ ingest, mastodonStream }: Config): readonly Platform[] {
  return [
    ...(ingest.source === "bluesky" ? (["bluesky"] as const) : []),
    ...(mastodonStream.server === null ? [] : (["mastodon"] as const)),
  ];
}
