import type { Platform } from "../posts/post.ts";

/** A null `platform` means the default. At least one name is not null. */
export type Target = UserTarget | PostTarget | SpaceTarget;

/** `handle` without `@`; on Mastodon `user@host` if the query names the host. */
export type UserTarget = {
  kind: "user";
  platform: Platform | null;
  handle: string | null;
  id: string | null;
  /** The Mastodon host in an id or a profile's address. */
  host: string | null;
};

/**
 * On Mastodon, `id` is local to `host`. A Bluesky post addressed by handle has `handle` and `key`
 * until resolved.
 */
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

/**
 * The canonical form, which `readTarget` parses: `bluesky:did:…`, `x:20`, `@ann@host`, `x:@ann`, or
 * the URI or URL of a post. Names are in lower case.
 */
export function targetText(target: Target): string {
  if (target.kind === "user") return userText(target);
  return target.kind === "post" ? postText(target) : `${target.platform ?? "x"}:${target.id}`;
}

function userText({ platform, id, handle }: UserTarget): string {
  const prefix = platform === null ? "" : `${platform}:`;
  if (id !== null) return `${prefix}${id}`;
  const name = `@${(handle ?? "").toLowerCase()}`;
  return name.includes("@", 1) ? name : `${prefix}${name}`;
}

function postText({ platform, uri, id, host, url, handle, key }: PostTarget): string {
  const prefix = platform === null ? "" : `${platform}:`;
  if (platform === "x" && id !== null) return `${prefix}${id}`;
  if (uri !== null) return uri;
  if (handle !== null) return `https://bsky.app/profile/${handle}/post/${key}`;
  if (url !== null) return url;
  return host === null ? `${prefix}${id}` : `${prefix}${id}@${host}`;
}
