/**
 * A post is referenced by a key made from what every source knows of it, not by its ID: the other post is often not archived
 * yet, and its ID exists only once it is. So a reference works before the post arrives and after it is deleted. Keys are
 * indexed: another derivation needs another analyzer version.
 */

import { hash } from "node:crypto";
import { lastId } from "./ids.ts";
import { type Platform, type PostReference, platforms } from "./post.ts";

/**
 * Posts name one another by keys, which facets hold and queries are resolved to: `x/20` by the number on X, elsewhere
 * `<platform>/<64 bits of the SHA-256 of the post's uri, in hex>`, or of its id where the source knows no uri.
 */
const numberForm = /^\d{1,19}$/;
const xAddress =
  /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/[^/?#]+(?:\/web)?\/status(?:es)?\/(\d{1,19})(?:[/?#]|$)/i;
const blueskyAddress = /^https?:\/\/(?:www\.)?bsky\.app\/profile\/([^/?#]+)\/post\/([^/?#]+)/i;
/** A post that its source knows by a number alone: what `importedUri` makes. */
const numberedUri = /^import:(?:bluesky|mastodon):(\d{1,40})(?:@|$)/;

/** The uri of a post that its source knows by an id alone, on Mastodon together with the server that the id counts on. */
export const importedUri = (platform: Platform, id: string, server?: string): string =>
  `import:${platform}:${id}${server === undefined ? "" : `@${server}`}`;

/** The uri of a Bluesky post. */
export const blueskyUri = (did: string, key: string): string =>
  `at://${did}/app.bsky.feed.post/${key}`;

/** The uri of the Bluesky post whose page has this address, where the address names the account by its DID; else null. */
export function blueskyUriOf(address: string): string | null {
  const [, account = "", key = ""] = blueskyAddress.exec(address) ?? [];
  return account.startsWith("did:") ? blueskyUri(account, key) : null;
}

type Named = Pick<PostReference, "id" | "uri">;

/** The key of a post; null when nothing is known of it. */
export function postKey(platform: Platform, { id, uri }: Named): string | null {
  if (platform === "x") {
    const number = xNumber(id) ?? xNumber(uri);
    if (number !== null) return `x/${number}`;
  }
  const name = uri ?? id;
  return name === null ? null : `${platform}/${hash("sha256", name).slice(0, 16)}`;
}

/** The keys of a post in what others say of it: one known by a number of its source is also found by the bare number. */
export function postKeys(platform: Platform, named: Named): string[] {
  const number = numberedUri.exec(named.uri ?? named.id ?? "")?.[1];
  const byNumber = number === undefined ? null : postKey(platform, { id: number, uri: null });
  return [postKey(platform, named), byNumber].filter((key) => key !== null);
}

/** Everything that a post named in a query can be called by, on any platform. */
export type NamedPost = {
  /** When it is named by a number: an X post's own, or the ID of a record. */
  number: bigint | null;
  /** Keys under which facets may hold it. */
  keys: readonly string[];
  /** A Bluesky post whose account is given by its handle, in lower case. */
  bluesky: { handle: string; key: string } | null;
};

/** Reads what a query calls a post by: an ID, a uri, or the address of its page on X or Bluesky. Takes any string. */
export function readNamedPost(written: string): NamedPost {
  if (numberForm.test(written)) {
    const number = BigInt(written);
    const keys = keysOnAllPlatforms({ id: written, uri: null });
    return { number: number <= lastId ? number : null, keys, bluesky: null };
  }
  const keys = keysOnAllPlatforms({ id: null, uri: written });
  const uri = blueskyUriOf(written);
  if (uri !== null) {
    const key = postKey("bluesky", { id: null, uri });
    return { number: null, keys: key === null ? keys : [...keys, key], bluesky: null };
  }
  const [, account, key] = blueskyAddress.exec(written) ?? [];
  const bluesky =
    account === undefined || key === undefined ? null : { handle: account.toLowerCase(), key };
  return { number: null, keys, bluesky };
}

const keysOnAllPlatforms = (named: Named): string[] =>
  platforms.map((platform) => postKey(platform, named)).filter((key) => key !== null);

/** The number of a post on X, from the number itself or from the address of its page; null for anything else. */
function xNumber(name: string | null): string | null {
  if (name === null) return null;
  const digits = numberForm.test(name) ? name : xAddress.exec(name)?.[1];
  return digits?.replace(/^0+(?=\d)/, "") ?? null;
}
