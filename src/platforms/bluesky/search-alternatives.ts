import { isDid } from "./at-uri.ts";

/** All conditions apply. */
export type Ask = {
  /** Words and quoted phrases. */
  words: readonly string[];
  tags: readonly string[];
  author: { actor: string; handle: string | null } | null;
  mentions: string | null;
  lang: string | null;
  domain: string | null;
};

/** Alternatives (disjunction). An empty list matches nothing. */
export type Asks = readonly Ask[];

/** No conditions, for what the API cannot express. */
export const nothingSaid: Ask = {
  words: [],
  tags: [],
  author: null,
  mentions: null,
  lang: null,
  domain: null,
};
export const everything: Asks = [nothingSaid];
export const nothing: Asks = [];

/** Each alternative costs one request. */
const mostAlternatives = 6;

/** Conjunction. Drops parts that would exceed the limit, which only widens the search. */
export function both(parts: readonly Asks[]): Asks {
  const byWidth = parts.toSorted((one, other) => one.length - other.length);
  let asks: Asks = everything;
  for (const part of byWidth) {
    const product = asks.flatMap((ask) => part.flatMap((other) => join(ask, other)));
    if (product.length <= mostAlternatives) asks = product;
  }
  return asks;
}

export function either(parts: readonly Asks[]): Asks {
  const asks = parts.flat();
  if (asks.some(isEverything)) return everything;
  return asks.length <= mostAlternatives ? asks : [common(asks)];
}

/** Nothing if the authors differ. A single-valued parameter keeps the first value. */
function join(ask: Ask, other: Ask): Asks {
  const { author } = ask;
  if (author !== null && other.author !== null && author.actor !== other.author.actor) {
    // A handle and a DID may be the same account.
    if (isDid(author.actor) && isDid(other.author.actor)) return nothing;
  }
  return [
    {
      words: distinct([...ask.words, ...other.words]),
      tags: distinct([...ask.tags, ...other.tags]),
      author: author ?? other.author,
      mentions: ask.mentions ?? other.mentions,
      lang: ask.lang ?? other.lang,
      domain: ask.domain ?? other.domain,
    },
  ];
}

/** The conditions that all alternatives share. */
function common(asks: Asks): Ask {
  const [first = nothingSaid, ...rest] = asks;
  const same = <Key extends "mentions" | "lang" | "domain">(key: Key): Ask[Key] | null =>
    rest.every((ask) => ask[key] === first[key]) ? first[key] : null;
  return {
    words: first.words.filter((word) => rest.every((ask) => ask.words.includes(word))),
    tags: first.tags.filter((tag) => rest.every((ask) => ask.tags.includes(tag))),
    author: rest.every((ask) => ask.author?.actor === first.author?.actor) ? first.author : null,
    mentions: same("mentions"),
    lang: same("lang"),
    domain: same("domain"),
  };
}

export const isEverything = ({ words, tags, author, mentions, lang, domain }: Ask): boolean =>
  words.length + tags.length === 0 &&
  [author, mentions, lang, domain].every((value) => value === null);

export const distinct = (items: readonly string[]): string[] => [...new Set(items)];
