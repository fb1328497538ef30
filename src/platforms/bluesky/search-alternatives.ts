import { isDid } from "./at-uri.ts";

/** What `searchPosts` can be asked at once: all of it holds. */
export type Ask = {
  /** Words and quoted phrases. */
  words: readonly string[];
  tags: readonly string[];
  author: { actor: string; handle: string | null } | null;
  mentions: string | null;
  lang: string | null;
  domain: string | null;
};

/** Alternatives, of which a post that is looked for satisfies one. None: nothing matches. */
export type Asks = readonly Ask[];

/** Everything: what cannot be said. */
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

/** Each alternative is a request of its own. */
const mostAlternatives = 6;

/** Each part multiplies the alternatives; one that would make too many of them is left unsaid. */
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

/** Both at once; nothing when two authors are asked for. Of two values that may stand side by side one is said. */
function join(ask: Ask, other: Ask): Asks {
  const { author } = ask;
  if (author !== null && other.author !== null && author.actor !== other.author.actor) {
    // A handle and a DID can be one account.
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

/** What all of them have in common. */
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
