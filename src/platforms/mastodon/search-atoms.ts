import type { ResolvedNames } from "../../query/make-plan.ts";
import type { PostProperty, QueryLeaf } from "../../query/tree.ts";

/**
 * What a search of Mastodon can be told of one leaf of a query. `operator` is text that only newer servers understand; a
 * `no-tag` is understood by the timelines of hashtags alone.
 */
export type Atom = { kind: "word" | "phrase" | "tag" | "no-tag" | "operator"; text: string };

/** Alternatives, each of atoms that hold together: none is never, one without atoms is anything. */
export type Alternatives = readonly (readonly Atom[])[];

const never: Alternatives = [];
const anything: Alternatives = [[]];

/**
 * What a post that satisfies the leaf has, so far as Mastodon's search can be told: a superset. What it cannot be told exactly
 * is left wide.
 */
export function atomsOf(leaf: QueryLeaf, names: ResolvedNames): Alternatives {
  switch (leaf.kind) {
    case "word":
      return together(wordsIn(leaf.text));
    case "phrase":
      return together(phraseOf(leaf.text));
    case "cashtag":
      return together(wordsIn(leaf.symbol));
    case "hashtag":
      return together([{ kind: "tag", text: leaf.tag }]);
    case "from":
      return fromOf(leaf.user, names);
    case "lang":
      return languagesWithRegions.has(leaf.code) || !/^[a-z]{2,3}$/.test(leaf.code)
        ? anything
        : operator(`language:${leaf.code}`);
    case "property":
      return propertyOf(leaf.property);
    case "platform":
      return leaf.platform === "mastodon" ? anything : never;
    // Nothing on Mastodon tells a place.
    case "geocode":
      return never;
    default:
      return anything;
  }
}

/**
 * What a post that does not satisfy the leaf has; again a superset. Words are not among it: the server's index also knows words
 * by their stems, and so would leave out more than it should.
 */
export function atomsOfNegation(leaf: QueryLeaf): Alternatives {
  switch (leaf.kind) {
    case "hashtag":
      return together([{ kind: "no-tag", text: leaf.tag }]);
    case "property":
      return leaf.property === "media" ? operator("-has:media") : anything;
    case "platform":
      return leaf.platform === "mastodon" ? never : anything;
    default:
      return anything;
  }
}

const together = (atoms: readonly Atom[]): Alternatives => [atoms];
const operator = (text: string): Alternatives => together([{ kind: "operator", text }]);

/** A word of the index: letters and digits, with what stands within one (`don't`, `3.14`, `node.js`). */
const wordForm = /[\p{L}\p{N}\p{M}_]+(?:['’.][\p{L}\p{N}\p{M}_]+)*/gu;

function wordsIn(text: string): Atom[] {
  const words = text.toLowerCase().match(wordForm) ?? [];
  return words.slice(0, 20).map((word) => ({ kind: "word", text: word.replaceAll("’", "'") }));
}

/** Words side by side; where something stands between them, or any word may, they are asked for each by itself. */
function phraseOf(text: string): Atom[] {
  const words = wordsIn(text);
  const isPlain = words.map((word) => word.text).join(" ") === text.toLowerCase().trim();
  if (!isPlain || words.length < 2 || /['.]/.test(text)) return words;
  return [{ kind: "phrase", text: text.toLowerCase().trim() }];
}

/** Languages that servers also tell with a region (`zh-TW`), which is another value to the search. */
const languagesWithRegions: ReadonlySet<string> = new Set([
  "en",
  "es",
  "fr",
  "nan",
  "pt",
  "sr",
  "zh",
]);

const mostAccounts = 4;
const handleForm =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,100}[A-Za-z0-9_])?(?:@[A-Za-z0-9.:-]{1,255})?$/;
/** What may be an account's number or its id on other software, which the search does not take; queries fold its letters. */
const idForm = /^(?:\d+|(?=\D*\d)[0-9A-Z]{18}|[0-7][0-9A-Z]{25})(?:@|$)/i;

/** A name without its server stands for each account that is known to bear it. */
function fromOf(user: string, names: ResolvedNames): Alternatives {
  if (!handleForm.test(user) || idForm.test(user)) return anything;
  const known = (names.accounts.get(user) ?? []).flatMap((key) => {
    const handle = /^mastodon\/[@?](.+@.+)$/.exec(key)?.[1];
    return handle === undefined || !handleForm.test(handle) ? [] : [handle];
  });
  const handles = user.includes("@") ? [user] : [...new Set([user, ...known])];
  if (handles.length > mostAccounts) return anything;
  return handles.map((handle) => [{ kind: "operator", text: `from:@${handle}` }]);
}

function propertyOf(property: PostProperty): Alternatives {
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
    // A server searches no boosts, vouches for nobody, and knows no places.
    case "nativeretweets":
    case "verified":
    case "geo":
      return never;
    default:
      return anything;
  }
}
