import type { ResolvedNames } from "@earshot/query/plan";
import { decodeEntities } from "@earshot/query/text";
import type { QueryLeaf } from "@earshot/query/tree";
import { isDid, isHandle } from "./at-uri.ts";
import {
  allPosts,
  type BlueskyRequests,
  distinct,
  noPosts,
  unconditionalRequest,
  unionRequests,
} from "./search-alternatives.ts";

export function requestsForLeaf(leaf: QueryLeaf, names: ResolvedNames): BlueskyRequests {
  switch (leaf.kind) {
    case "word":
    case "phrase":
      return requestsForWords(searchWords(leaf.text));
    case "cashtag":
      return requestsForWords(searchWords(leaf.symbol));
    case "hashtag":
      // A post may have the tag in its text but not in its tag field, or the reverse.
      return unionRequests([
        [{ ...unconditionalRequest, tags: [leaf.tag] }],
        requestsForWords(searchWords(leaf.tag)),
      ]);
    case "from":
      return requestsForAuthor(leaf.user, names);
    case "mention":
      return requestsForMention(leaf.user, names);
    case "lang":
      return requestsForLanguage(leaf.code);
    case "platform":
      return leaf.platform === "bluesky" ? allPosts : noPosts;
    case "geocode":
    case "retweets-of":
    case "source":
      return noPosts;
    case "property":
      return leaf.property === "geo" || leaf.property === "nativeretweets" ? noPosts : allPosts;
    default:
      return allPosts;
  }
}

const requestsForWords = (words: readonly string[]): BlueskyRequests => [
  { ...unconditionalRequest, words },
];

/** Aliases of language codes, which posts may use. */
const aliasCodes: Readonly<Record<string, string>> = { he: "iw", id: "in", nb: "no", fil: "tl" };

/** Requests the primary subtag; the matcher checks the rest. `und` cannot be requested. */
function requestsForLanguage(code: string): BlueskyRequests {
  const [primary = ""] = code.split("-");
  if (!/^[a-z]{2,3}$/.test(primary) || primary === "und") return allPosts;
  const aliasCode = aliasCodes[primary];
  const codes = aliasCode === undefined ? [primary] : [primary, aliasCode];
  return codes.map((lang) => ({ ...unconditionalRequest, lang }));
}

export const requestsForHost = (leaf: QueryLeaf): BlueskyRequests | null =>
  leaf.kind === "domain" ? [{ ...unconditionalRequest, domain: leaf.host }] : null;

function userAccounts(
  user: string,
  { accounts }: ResolvedNames,
): { dids: string[]; handles: string[] } {
  const keys = accounts.get(user) ?? [];
  const names = keys.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  return {
    dids: names.filter(isDid),
    handles: distinct(names.flatMap((key) => (/^[@?](?!did:)./.test(key) ? [key.slice(1)] : []))),
  };
}

const prefix = "bluesky/";

function requestsForAuthor(user: string, names: ResolvedNames): BlueskyRequests {
  const { dids, handles } = userAccounts(user, names);
  const handle = isHandle(user) ? user.toLowerCase() : null;
  const soleHandle = dids.length === 1 ? handle : null;
  if (dids.length > 0) {
    return unionRequests(
      dids.map((actor) => [{ ...unconditionalRequest, author: { actor, handle: soleHandle } }]),
    );
  }
  if (handle !== null) return [{ ...unconditionalRequest, author: { actor: handle, handle } }];
  return handles.length > 0 ? allPosts : noPosts;
}

/** The handle may also be plain text, which Bluesky does not mark as a mention. */
function requestsForMention(user: string, names: ResolvedNames): BlueskyRequests {
  const { dids, handles } = userAccounts(user, names);
  return unionRequests([
    ...dids.map((did): BlueskyRequests => [{ ...unconditionalRequest, mentions: did }]),
    ...handles.map((handle) => requestsForWords(searchWords(handle))),
  ]);
}

const wordPattern = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:['’.][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*/gu;
const plainWord = /^[A-Za-z0-9]+$/;
/** Operators in Bluesky's query syntax. */
const operatorWord = /^(?:and|or|not|to)$/i;
/** Excludes the zero width space, which separates words. */
const invisibleCharacters = /(?!\u200b)\p{Cf}/gu;
/** Combines with a digit to form an emoji. */
const keycap = "\u20e3";
const maxWords = 30;

/**
 * Words between wildcards form a phrase if all are plain ASCII. Dropping punctuation and emoji
 * only widens the search.
 */
function searchWords(text: string): readonly string[] {
  return decodeEntities(text)
    .normalize("NFC")
    .replaceAll(invisibleCharacters, "")
    .split(/(?<=^|\s)\*(?=\s|$)/u)
    .flatMap(partWords)
    .slice(0, maxWords);
}

function partWords(part: string): readonly string[] {
  const matches = (part.match(wordPattern) ?? []).filter((piece) => !piece.includes(keycap));
  const words = matches.map((piece) => piece.replaceAll("’", "'"));
  if (words.length > 1 && words.every((piece) => plainWord.test(piece))) {
    return [`"${words.join(" ")}"`];
  }
  return words.map((piece) => (operatorWord.test(piece) ? piece.toLowerCase() : piece));
}
