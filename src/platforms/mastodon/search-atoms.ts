import type { ResolvedNames } from "@earshot/query/plan";
import type { PostProperty, QueryLeaf } from "@earshot/query/tree";

/** `operator` requires a server that knows search operators, `no-tag` a hashtag timeline. */
export type Atom = { kind: "word" | "phrase" | "tag" | "no-tag" | "operator"; text: string };

/** An empty disjunction never matches; an empty conjunction always matches. */
export type Alternatives = readonly (readonly Atom[])[];

const never: Alternatives = [];
const anything: Alternatives = [[]];

export function lowerLeaf(leaf: QueryLeaf, names: ResolvedNames): Alternatives {
  switch (leaf.kind) {
    case "word":
      return conjunction(parseWords(leaf.text));
    case "phrase":
      return conjunction(decodePhrase(leaf.text));
    case "cashtag":
      return conjunction(parseWords(leaf.symbol));
    case "hashtag":
      return conjunction([{ kind: "tag", text: leaf.tag }]);
    case "from":
      return fromAtoms(leaf.user, names);
    case "lang":
      return languagesWithRegions.has(leaf.code) || !/^[a-z]{2,3}$/.test(leaf.code)
        ? anything
        : operator(`language:${leaf.code}`);
    case "property":
      return propertyAtoms(leaf.property);
    case "platform":
      return leaf.platform === "mastodon" ? anything : never;
    case "geocode":
      return never;
    default:
      return anything;
  }
}

/** A superset: the server's index also matches stems, so words are not excluded. */
export function negationAtoms(leaf: QueryLeaf): Alternatives {
  switch (leaf.kind) {
    case "hashtag":
      return conjunction([{ kind: "no-tag", text: leaf.tag }]);
    case "property":
      return leaf.property === "media" ? operator("-has:media") : anything;
    case "platform":
      return leaf.platform === "mastodon" ? never : anything;
    default:
      return anything;
  }
}

const conjunction = (atoms: readonly Atom[]): Alternatives => [atoms];
const operator = (text: string): Alternatives => conjunction([{ kind: "operator", text }]);

/** Such as `don't`, `3.14` and `node.js`. */
const wordPattern = /[\p{L}\p{N}\p{M}_]+(?:['’.][\p{L}\p{N}\p{M}_]+)*/gu;

function parseWords(text: string): Atom[] {
  const words = text.toLowerCase().match(wordPattern) ?? [];
  return words.slice(0, 20).map((word) => ({ kind: "word", text: word.replaceAll("’", "'") }));
}

/** Punctuation and wildcards separate words. */
function decodePhrase(text: string): Atom[] {
  const words = parseWords(text);
  const isPlain = words.map((word) => word.text).join(" ") === text.toLowerCase().trim();
  if (!isPlain || words.length < 2 || /['.]/.test(text)) return words;
  return [{ kind: "phrase", text: text.toLowerCase().trim() }];
}

/** Servers also report these languages with a region (`zh-TW`). */
const languagesWithRegions: ReadonlySet<string> = new Set([
  "en",
  "es",
  "fr",
  "nan",
  "pt",
  "sr",
  "zh",
]);

const maxAccounts = 4;
const handlePattern =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,100}[A-Za-z0-9_])?(?:@[A-Za-z0-9.:-]{1,255})?$/;
/** Possible account ids, in upper or lower case, which search does not accept. */
const idPattern = /^(?:\d+|(?=\D*\d)[0-9A-Z]{18}|[0-7][0-9A-Z]{25})(?:@|$)/i;

/** Includes every known account of this name if it has no server. */
function fromAtoms(user: string, names: ResolvedNames): Alternatives {
  if (!handlePattern.test(user) || idPattern.test(user)) return anything;
  const knownHandles = (names.accounts.get(user) ?? []).flatMap((key) => {
    const handle = /^mastodon\/[@?](.+@.+)$/.exec(key)?.[1];
    return handle === undefined || !handlePattern.test(handle) ? [] : [handle];
  });
  const handles = user.includes("@") ? [user] : [...new Set([user, ...knownHandles])];
  if (handles.length > maxAccounts) return anything;
  return handles.map((handle) => [{ kind: "operator", text: `from:@${handle}` }]);
}

function propertyAtoms(property: PostProperty): Alternatives {
  switch (property) {
    case "media":
    case "images":
    case "videos":
      return operator("has:media");
    case "replies":
    case "self_threads":
      return operator("is:reply");
    case "safe":
      return operator("-is:sensitive");
    // Mastodon's search covers no boosts, and Mastodon has neither verification nor locations.
    case "nativeretweets":
    case "verified":
    case "geo":
      return never;
    default:
      return anything;
  }
}
