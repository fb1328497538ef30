import type { Platform } from "../posts/post.ts";
import { blueskyDescription } from "./bluesky/description.ts";
import type { PlatformDescription } from "./description.ts";
import { mastodonDescription } from "./mastodon/description.ts";
import { xDescription } from "./x/description.ts";

export const platformDescriptions: Readonly<Record<Platform, PlatformDescription>> = {
  bluesky: blueskyDescription,
  mastodon: mastodonDescription,
  x: xDescription,
};
