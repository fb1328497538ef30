import type { ResolvedNames } from "@earshot/query/plan";
import { decodeEntities } from "@earshot/query/text";
import type { QueryLeaf } from "@earshot/query/tree";
import { isDid, isHandle } from "./at-uri.ts";
import {
  allPosts,
  anyAlternative,
  distinct,
  noPosts,
  type Requests,
  unconditional,
} from "./search-alternatives.ts";

export function requestsForLeaf(leaf: QueryLeaf, names: ResolvedNames): Requests {
  switch (leaf.kind) {
    case "word":
    case "phrase":
      return requestsForWords(searchTerms(leaf.text));
    case "cashtag":
      return requestsForWords(searchTerms(leaf.symbol));
    case "hashtag":
      // A post may have the tag only in its text or tag field.
      return anyAlternative([
        [{ ...unconditional, tags: [leaf.tag] }],
        requestsForWords(searchTerms(leaf.tag)),
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

const requestsForWords = (words: readonly string[]): Requests => [{ ...unconditional, words }];

/** Older language codes that posts may still use. */
const olderCodes: Readonly<Record<string, string>> = { he: "iw", id: "in", nb: "no", fil: "tl" };

/** Requests the primary language; the matcher checks the rest. `und` cannot be requested. */
function requestsForLanguage(code: string): Requests {
  const [primary = ""] = code.split("-");
  if (!/^[a-z]{2,3}$/.test(primary) || primary === "und") return allPosts;
  const older = olderCodes[primary];
  const codes = older === undefined ? [primary] : [primary, older];
  return codes.map((lang) => ({ ...unconditional, lang }));
}

export const requestsForHost = (leaf: QueryLeaf): Requests | null =>
  leaf.kind === "domain" ? [{ ...unconditional, domain: leaf.host }] : null;

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

function requestsForAuthor(user: string, names: ResolvedNames): Requests {
  const { dids, handles } = userAccounts(user, names);
  const handle = isHandle(user) ? user.toLowerCase() : null;
  const soleHandle = dids.length === 1 ? handle : null;
  if (dids.length > 0) {
    return anyAlternative(
      dids.map((actor) => [{ ...unconditional, author: { actor, handle: soleHandle } }]),
    );
  }
  if (handle !== null) return [{ ...unconditional, author: { actor: handle, handle } }];
  return handles.length > 0 ? allPosts : noPosts;
}

/** The text may contain the handle without a facet. */
function requestsForMention(user: string, names: ResolvedNames): Requests {
  const { dids, handles } = userAccounts(user, names);
  return anyAlternative([
    ...dids.map((did): Requests => [{ ...unconditional, mentions: did }]),
    ...handles.map((handle) => requestsForWords(searchTerms(handle))),
  ]);
}

const piecePattern = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*(?:['’.][\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*)*/gu;
const plainPiece = /^[A-Za-z0-9]+$/;
/** Operators in Bluesky's query syntax. */
const operatorWord = /^(?:and|or|not|to)$/i;
/** Excludes the zero width space, which separates words. */
const invisible = /(?!\u200b)\p{Cf}/gu;
/** Combines with a digit to an emoji. */
const keycap = "\u20e3";
const maxWords = 30;

/**
 * Adjacent plain ASCII words form a phrase. Dropping punctuation and emoji only widens the search.
 */
function searchTerms(text: string): readonly string[] {
  return decodeEntities(text)
    .normalize("NFC")
    .replaceAll(invisible, "")
    .split(/(?<=^|\s)\*(?=\s|$)/u)
    .flatMap(partTerms)
    .slice(0, maxWords);
}

function partTerms(part: string): readonly string[] {
  const matches = (part.match(piecePattern) ?? []).filter((piece) => !piece.includes(keycap));
  const pieces = matches.map((piece) => piece.replaceAll("’", "'"));
  if (pieces.length > 1 && pieces.every((piece) => plainPiece.test(piece))) {
    return [`"${pieces.join(" ")}"`];
  }
  return pieces.map((piece) => (operatorWord.test(piece) ? piece.toLowerCase() : piece));
}
