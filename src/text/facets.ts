import { shortenToken } from "./analyze.ts";

/**
 * Facet tokens: what is known of a post beside its words, as tokens that no text can hold, because each starts with or
 * holds punctuation that the analyzer never lets through.
 *
 *     from:<account>  to:<account>  @<account>  #<tag>  lang:<tag>  url:<part of a link>
 *     is:post  is:retweet  is:sensitive  is:question  has:geo  geo:<cell>  likes>=<n>  reposts>=<n>
 *
 * An account belongs to its platform: `x/123` and `bluesky/did:plc:…` are account ids, `x/@name` a handle of which no id is
 * known. So neither the same id on two platforms nor a handle made of digits is taken for another account.
 */
export const everyPost = "is:post";
export const isRepost = "is:retweet";
export const isSensitive = "is:sensitive";
export const isQuestion = "is:question";
export const hasGeo = "has:geo";

export const accountById = (platform: string, id: string): string =>
  `${platform}/${id.toLowerCase()}`;
export const accountByHandle = (platform: string, foldedHandle: string): string =>
  `${platform}/@${foldedHandle}`;

export const fromAccount = (account: string): string => facet("from:", account);
export const toAccount = (account: string): string => facet("to:", account);
export const mentionsAccount = (account: string): string => facet("@", account);
export const hashtag = (foldedTag: string): string => facet("#", foldedTag);
export const language = (tag: string): string => facet("lang:", tag);
export const linkPart = (part: string): string => facet("url:", part);
export const geoCell = (cell: string): string => `geo:${cell}`;
export const atLeast = (metric: string, threshold: number): string => `${metric}>=${threshold}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would end a token
const breaksToken = /[\s\u0000-\u001f\u007f-\u00a0]/gu;

function facet(name: string, value: string): string {
  const folded = value.toLowerCase().toWellFormed().replace(breaksToken, "_");
  return shortenToken(name + folded);
}
