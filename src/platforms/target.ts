import type { Platform } from "../posts/post.ts";

/** A null `platform` means the default. Unknown fields are null; at least one name is set. */
export type Target = UserTarget | PostTarget | SpaceTarget;

/**
 * `handle` without `@` (`user@host` on Mastodon if the query names the host); `id` such as a DID or
 * number.
 */
export type UserTarget = {
  kind: "user";
  platform: Platform | null;
  handle: string | null;
  id: string | null;
  /** The Mastodon host in a profile's address. */
  host: string | null;
};

/**
 * `uri` is the identity; `id` the platform's (on Mastodon, local to `host`). A Bluesky post
 * addressed by handle has `handle` and `key` until resolved.
 */
export type PostTarget = {
  kind: "post";
  platform: Platform | null;
  uri: string | null;
  id: string | null;
  host: string | null;
  /** As written. */
  url: string | null;
  handle: string | null;
  key: string | null;
};

export type SpaceTarget = { kind: "space"; platform: Platform | null; id: string };
