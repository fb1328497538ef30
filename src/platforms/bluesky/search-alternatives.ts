import { isDid } from "./at-uri.ts";

export type BlueskyRequest = {
  words: readonly string[];
  tags: readonly string[];
  author: { actor: string; handle: string | null } | null;
  mentions: string | null;
  lang: string | null;
  domain: string | null;
};

/** Matches what any of the requests matches; an empty list matches nothing. */
export type BlueskyRequests = readonly BlueskyRequest[];

/** Replaces a condition that the API cannot express. */
export const unconditionalRequest: BlueskyRequest = {
  words: [],
  tags: [],
  author: null,
  mentions: null,
  lang: null,
  domain: null,
};
export const allPosts: BlueskyRequests = [unconditionalRequest];
export const noPosts: BlueskyRequests = [];

/** Each alternative costs one request. */
const maxAlternatives = 6;

/** Skips parts that would need too many requests, which only widens the search. */
export function intersectRequests(parts: readonly BlueskyRequests[]): BlueskyRequests {
  const byWidth = parts.toSorted((a, b) => a.length - b.length);
  let requests: BlueskyRequests = allPosts;
  for (const part of byWidth) {
    const product = requests.flatMap((request) => part.flatMap((other) => join(request, other)));
    if (product.length <= maxAlternatives) requests = product;
  }
  return requests;
}

export function unionRequests(parts: readonly BlueskyRequests[]): BlueskyRequests {
  const requests = parts.flat();
  if (requests.some(isUnconditional)) return allPosts;
  return requests.length <= maxAlternatives ? requests : [commonRequest(requests)];
}

/** Empty if the authors' DIDs differ. A single-valued parameter keeps its first value. */
function join(request: BlueskyRequest, other: BlueskyRequest): BlueskyRequests {
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

function commonRequest(requests: BlueskyRequests): BlueskyRequest {
  const [first = unconditionalRequest, ...rest] = requests;
  const sharedValue = <Key extends "mentions" | "lang" | "domain">(
    key: Key,
  ): BlueskyRequest[Key] | null =>
    rest.every((request) => request[key] === first[key]) ? first[key] : null;
  return {
    words: first.words.filter((word) => rest.every((request) => request.words.includes(word))),
    tags: first.tags.filter((tag) => rest.every((request) => request.tags.includes(tag))),
    author: rest.every((request) => request.author?.actor === first.author?.actor)
      ? first.author
      : null,
    mentions: sharedValue("mentions"),
    lang: sharedValue("lang"),
    domain: sharedValue("domain"),
  };
}

export const isUnconditional = ({
  words,
  tags,
  author,
  mentions,
  lang,
  domain,
}: BlueskyRequest): boolean =>
  words.length + tags.length === 0 &&
  [author, mentions, lang, domain].every((value) => value === null);

export const distinct = (items: readonly string[]): string[] => [...new Set(items)];
