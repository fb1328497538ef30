import type { Platform } from "../posts/post.ts";
import type { Config } from "./config.ts";

/** Platforms that live ingestion feeds. */
export function fedPlatforms({ ingest, mastodonStream }: Config): readonly Platform[] {
  return [
    ...(ingest.source === "bluesky" ? (["bluesky"] as const) : []),
    ...(mastodonStream.server === null ? [] : (["mastodon"] as const)),
  ];
}
