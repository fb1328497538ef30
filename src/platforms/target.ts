import type { Platform } from "../posts/post.ts";

/** A null `platform` means the default. At least one name is set. */
export type Target = UserTarget | PostTarget | SpaceTarget;

/** `handle` without `@`; on Mastodon `user@host` if the query names the host. */
export type UserTarget = {
  kind: "user";
  platform: Platform | null;
  handle: string | null;
  id: string | null;
  /** The Mastodon host in a profile's address. */
  host: string | null;
};

/** `id` is local to `host` on Mastodon. A Bluesky post addressed by handle has `handle` and `key` until resolved. */
export type PostTarget = {
  kind: "post";
  platform: Platform | null;
  uri: string | null;
  id: string | null;
  host: string | null;
  url: string | null;
  handle: string | null;
  key: string | null;
};

export type SpaceTarget = { kind: "space"; platform: Platform | null; id: string };
