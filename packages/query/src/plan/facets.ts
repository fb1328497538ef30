/**
 * Facet tokens: a post's properties other than its words. Each starts with or contains punctuation that the analyzer never
 * emits, so no text can forge one.
 *
 *     from:<account>  to:<account>  @<account>  #<tag>  lang:<tag>  url:<part of a link>
 *     $<symbol>  domain:<host>  label:<label>  source:<app>
 *     conversation:<post>  reply:<post>  quoted:<post>  reposted:<post>  quoted-user:<account>  reposted-user:<account>
 *     is:post  is:retweet  is:native-retweet  is:reply  is:quote  is:self-reply  is:verified  is:sensitive  is:question
 *     has:link  has:media  has:image  has:video  has:hashtag  has:mention  has:cashtag  has:geo  geo:<cell>
 *     likes>=<n>  reposts>=<n>  replies>=<n>  quotes>=<n>  face:<emoticon>
 *
 * Accounts are prefixed with their platform: `x/123` and `bluesky/did:plc:…` are account ids, `x/@name` is a handle. `x/?name`
 * is a handle in a post without an account id: a query by id can include its handles without matching other accounts that used
 * them. Posts are `x/20`, or `<platform>/<hash>` on other platforms (`src/posts/references.ts`).
 * Equal ids on two platforms, or a numeric handle and an id, never collide.
 */

import { shortenAsciiToken, shortenToken } from "../text/token.ts";

export const everyPostFacet = "is:post";
export const repostFacet = "is:retweet";
export const nativeRepostFacet = "is:native-retweet";
export const replyFacet = "is:reply";
export const quoteFacet = "is:quote";
export const selfReplyFacet = "is:self-reply";
export const verifiedFacet = "is:verified";
export const sensitiveFacet = "is:sensitive";
export const questionFacet = "is:question";
export const linkFacet = "has:link";
export const mediaFacet = "has:media";
export const imageFacet = "has:image";
export const videoFacet = "has:video";
export const hashtagFacet = "has:hashtag";
export const mentionFacet = "has:mention";
export const cashtagFacet = "has:cashtag";
export const geoFacet = "has:geo";

export const accountById = (platform: string, id: string): string =>
  `${platform}/${id.toLowerCase()}`;
export const accountByHandle = (platform: string, foldedHandle: string): string =>
  `${platform}/@${foldedHandle}`;

export const accountWithoutId = (platform: string, foldedHandle: string): string =>
  `${platform}/?${foldedHandle}`;

export const fromAccount = (account: string): string => facet("from:", account);
export const toAccount = (account: string): string => facet("to:", account);
export const mentionsAccount = (account: string): string => facet("@", account);
export const hashtag = (foldedTag: string): string => facet("#", foldedTag);
export const cashtag = (symbol: string): string => facet("$", symbol);
export const quotesAccount = (account: string): string => facet("quoted-user:", account);
export const repostsAccount = (account: string): string => facet("reposted-user:", account);
export const inConversation = (post: string): string => facet("conversation:", post);
export const repliesTo = (post: string): string => facet("reply:", post);
export const quotes = (post: string): string => facet("quoted:", post);
export const reposts = (post: string): string => facet("reposted:", post);
export const linkDomain = (host: string): string => facet("domain:", host);
export const label = (value: string): string => facet("label:", value);
/**
 * App names are case-insensitive, with `_` for spaces and hyphens: `Twitter_for_iOS` is "Twitter
 * for iOS".
 */
export const writtenWith = (app: string): string =>
  facet(
    "source:",
    app
      .normalize("NFKC")
      .trim()
      .replace(/[\s_-]+/gu, "_"),
  );
export const emoticon = (face: string): string => facet("face:", face);
export const language = (tag: string): string => facet("lang:", tag);
export const linkPart = (part: string): string => facet("url:", part);
export const geoCell = (cell: string): string => `geo:${cell}`;
export const atLeast = (metric: string, threshold: number): string => `${metric}>=${threshold}`;

/** Printable ASCII without capital letters needs no folding. */
const foldedAscii = /^[!-@[-~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters would end a token
const tokenBreaks = /[\s\u0000-\u001f\u007f-\u00a0]/gu;

function facet(name: string, value: string): string {
  if (foldedAscii.test(value)) return shortenAsciiToken(name + value);
  const folded = value.toLowerCase().toWellFormed().replace(tokenBreaks, "_");
  return shortenToken(name + folded);
}
