import { isDid } from "./at-uri.ts";

export type Request = {
  words: readonly string[];
  tags: readonly string[];
  author: { actor: string; handle: string | null } | null;
  mentions: string | null;
  lang: string | null;
  domain: string | null;
};

/** An empty list matches nothing. */
export type Requests = readonly Request[];

/** Replaces what the API cannot express. */
export const unconditional: Request = {
  words: [],
  tags: [],
  author: null,
  mentions: null,
  lang: null,
  domain: null,
};
export const allPosts: Requests = [unconditional];
export const noPosts: Requests = [];

/** Each alternative costs one request. */
const maxAlternatives = 6;

/** Dropping further parts only widens the search. */
export function allParts(parts: readonly Requests[]): Requests {
  const byWidth = parts.toSorted((a, b) => a.length - b.length);
  let requests: Requests = allPosts;
  for (const part of byWidth) {
    const product = requests.flatMap((request) => part.flatMap((other) => join(request, other)));
    if (product.length <= maxAlternatives) requests = product;
  }
  return requests;
}

export function anyAlternative(parts: readonly Requests[]): Requests {
  const requests = parts.flat();
  if (requests.some(isEverything)) return allPosts;
  return requests.length <= maxAlternatives ? requests : [common(requests)];
}

/** Empty if the authors' DIDs differ. A parameter with a single value retains the first. */
function join(request: Request, other: Request): Requests {
  const { author } = request;
  if (author !== null && other.author !== null && author.actor !== other.author.actor) {
    if (isDid(author.actor) && isDid(other.author.actor)) return noPosts;
  }
  return [
    {
      words: distinct([...request.words, ...other.words]),
      tags: distinct([...request.tags, ...other.tags]),
      author: author ?? other.author,
      mentions: request.mentions ?? other.mentions,
      lang: request.lang ?? other.lang,
      domain: request.domain ?? other.domain,
    },
  ];
}

function common(requests: Requests): Request {
  const [first = unconditional, ...rest] = requests;
  const same = <Key extends "mentions" | "lang" | "domain">(key: Key): Request[Key] | null =>
    rest.every((request) => request[key] === first[key]) ? first[key] : null;
  return {
    words: first.words.filter((word) => rest.every((request) => request.words.includes(word))),
    tags: first.tags.filter((tag) => rest.every((request) => request.tags.includes(tag))),
    author: rest.every((request) => request.author?.actor === first.author?.actor)
      ? first.author
      : null,
    mentions: same("mentions"),
    lang: same("lang"),
    domain: same("domain"),
  };
}

export const isEverything = ({ words, tags, author, mentions, lang, domain }: Request): boolean =>
  words.length + tags.length === 0 &&
  [author, mentions, lang, domain].every((value) => value === null);

export const distinct = (items: readonly string[]): string[] => [...new Set(items)];
