import type { Platform } from "../posts/post.ts";

/**
 * Whom or what a method asks about, as its query names it. `platform` is null where nothing in the query says one: the
 * default platform is asked then. What is not known is null; of each kind at least one name is.
 */
export type Target = UserTarget | PostTarget | SpaceTarget;

/** `handle` without its `@` (`user@host` on Mastodon where the query names the host); `id` is the account's own: a DID, a number. */
export type UserTarget = {
  kind: "user";
  platform: Platform | null;
  handle: string | null;
  id: string | null;
  /** The host of the Mastodon server that a profile's address names. */
  host: string | null;
};

/**
 * `uri` is the post's identity, `id` the number or id that its platform (on Mastodon: the server `host`) gives it. A Bluesky
 * post whose address names a handle has `handle` and `key` until the handle is resolved.
 */
export type PostTarget = {
  kind: "post";
  platform: Platform | null;
  uri: string | null;
  id: string | null;
  host: string | null;
  /** The address of its page, as written. */
  url: string | null;
  handle: string | null;
  key: string | null;
};

export type SpaceTarget = { kind: "space"; platform: Platform | null; id: string };
