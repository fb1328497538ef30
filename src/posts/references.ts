/**
 * A reference works before the post arrives and after it is deleted, because its key is made from
 * what every source knows about the post. Keys are indexed, so changing their derivation needs a new
 * analyzer version.
 */

import { hash } from "node:crypto";
import { lastId } from "./ids.ts";
import { type Platform, type PostReference, platforms } from "./post.ts";

const numberForm = /^\d{1,19}$/;
const xPostUrl =
  /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/[^/?#]+(?:\/web)?\/status(?:es)?\/(\d{1,19})(?:[/?#]|$)/i;
const blueskyPostUrl = /^https?:\/\/(?:www\.)?bsky\.app\/profile\/([^/?#]+)\/post\/([^/?#]+)/i;
const numberedUri = /^import:(?!x:)[a-z]+:(\d{1,40})(?:@|$)/;

/**
 * The uri of a post whose source gives only an id; on Mastodon it includes the server, because each
 * server assigns its own ids.
 */
export const importedUri = (platform: Platform, id: string, server?: string): string =>
  `import:${platform}:${id}${server === undefined ? "" : `@${server}`}`;

export const blueskyUri = (did: string, key: string): string =>
  `at://${did}/app.bsky.feed.post/${key}`;

export function parseBlueskyUrl(url: string): string | null {
  const [, account = "", key = ""] = blueskyPostUrl.exec(url) ?? [];
  return account.startsWith("did:") ? blueskyUri(account, key) : null;
}

type PostIdentity = Pick<PostReference, "id" | "uri">;

/**
 * `x/<number>` on X; on other platforms `<platform>/<first 64 bits of the SHA-256 of its uri, in
 * hex>`, or of its id if the uri is unknown.
 */
export function postKey(platform: Platform, { id, uri }: PostIdentity): string | null {
  if (platform === "x") {
    const number = xNumber(id) ?? xNumber(uri);
    if (number !== null) return `x/${number}`;
  }
  const name = uri ?? id;
  return name === null ? null : `${platform}/${hash("sha256", name).slice(0, 16)}`;
}

/**
 * All keys by which others may refer to a post: one with an `importedUri` also has the key of its
 * bare number.
 */
export function postKeys(platform: Platform, identity: PostIdentity): string[] {
  const number = numberedUri.exec(identity.uri ?? identity.id ?? "")?.[1];
  const numberKey = number === undefined ? null : postKey(platform, { id: number, uri: null });
  return [postKey(platform, identity), numberKey].filter((key) => key !== null);
}

export type NamedPost = {
  number: bigint | null;
  keys: readonly string[];
  bluesky: { handle: string; key: string } | null;
};

export function readNamedPost(name: string): NamedPost {
  if (numberForm.test(name)) {
    const number = BigInt(name);
    const keys = keysOnAllPlatforms({ id: name, uri: null });
    return { number: number <= lastId ? number : null, keys, bluesky: null };
  }
  const keys = keysOnAllPlatforms({ id: null, uri: name });
  const uri = parseBlueskyUrl(name);
  if (uri !== null) {
    const key = postKey("bluesky", { id: null, uri });
    return { number: null, keys: key === null ? keys : [...keys, key], bluesky: null };
  }
  const [, account, key] = blueskyPostUrl.exec(name) ?? [];
  const bluesky =
    account === undefined || key === undefined ? null : { handle: account.toLowerCase(), key };
  return { number: null, keys, bluesky };
}

const keysOnAllPlatforms = (identity: PostIdentity): string[] =>
  platforms.map((platform) => postKey(platform, identity)).filter((key) => key !== null);

function xNumber(name: string | null): string | null {
  if (name === null) return null;
  const digits = numberForm.test(name) ? name : xPostUrl.exec(name)?.[1];
  return digits?.replace(/^0+(?=\d)/, "") ?? null;
}
