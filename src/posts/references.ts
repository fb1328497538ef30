import { hash } from "node:crypto";
import { xIdOf } from "./ids.ts";
import { type Platform, type PostReference, platforms } from "./post.ts";

/**
 * The name under which facets hold a post that others refer to: `x/20`, and elsewhere `<platform>/<64 bits of the SHA-256 of its
 * uri, in hex>`, or of the id where the source knows no uri. Null when nothing is known of it.
 */
export function postKey(
  platform: Platform,
  { id, uri }: Pick<PostReference, "id" | "uri">,
): string | null {
  if (platform === "x") {
    const number = id ?? (uri === null ? null : xIdOf(uri)?.toString());
    if (number) return `x/${number}`;
  }
  const name = uri ?? id;
  return name === null ? null : `${platform}/${hash("sha256", name).slice(0, 16)}`;
}

const xAddress =
  /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/[^/?#]+(?:\/web)?\/status(?:es)?\/(\d{1,19})(?:[/?#]|$)/i;
const blueskyAddress = /^https?:\/\/bsky\.app\/profile\/([^/?#]+)\/post\/([^/?#]+)/i;

/** Everything that a post named in a query can be called by, on any platform. */
export type NamedPost = {
  /** Its number, when it is named by one: an X post's own, or the ID of a record. */
  number: bigint | null;
  /** Names under which facets may hold it. */
  keys: readonly string[];
  /** The account and the record key of a Bluesky address whose account is given by its handle. */
  bluesky: { account: string; key: string } | null;
};

/** Reads what a query calls a post by: an ID, a uri, or the address of its page on X or Bluesky. */
export function readNamedPost(written: string): NamedPost {
  const number = /^\d{1,19}$/.test(written) ? written : (xAddress.exec(written)?.[1] ?? null);
  const [, account = "", key = ""] = blueskyAddress.exec(written) ?? [];
  const isDid = account.startsWith("did:");
  const reference = isDid
    ? { id: null, uri: blueskyUri(account, key) }
    : { id: number, uri: number === null ? written : null };
  const keys = platforms
    .map((platform) => postKey(platform, reference))
    .filter((name) => name !== null);
  return {
    number: number === null ? null : BigInt(number),
    keys,
    bluesky: account === "" || isDid ? null : { account: account.toLowerCase(), key },
  };
}

/** The uri of a Bluesky post. */
export const blueskyUri = (did: string, key: string): string =>
  `at://${did}/app.bsky.feed.post/${key}`;
