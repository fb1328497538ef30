import type { Platform } from "../posts/post.ts";
import { blueskyIdentity } from "./bluesky/identity.ts";
import type { IdentityRules } from "./identity.ts";
import { mastodonIdentity } from "./mastodon/identity.ts";
import { xIdentity } from "./x/identity.ts";

export const identityRules: Readonly<Record<Platform, IdentityRules>> = {
  bluesky: blueskyIdentity,
  mastodon: mastodonIdentity,
  x: xIdentity,
};
