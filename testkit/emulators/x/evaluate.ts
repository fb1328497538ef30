import { linkPart } from "@earshot/query/facets";
import { distanceKm, matches, type Subject } from "@earshot/query/match";
import {
  decodeEntities,
  findCashtags,
  foldTag,
  phraseSequence,
  type SequenceElement,
  urlQueryTokens,
} from "@earshot/query/text";
import { indexTerms } from "../../../src/posts/terms.ts";
import { makePost } from "../../data/make-post.ts";
import type { EmulatedPost, EmulatedUser } from "./model.ts";
import { type Clause, readCircle } from "./query-syntax.ts";

type Users = ReadonlyMap<string, EmulatedUser>;
type Posts = ReadonlyMap<string, EmulatedPost>;

/** Word boundaries, which X does not specify, come from Earshot's analyzer. */
export function matchesClause(
  clause: Clause,
  post: EmulatedPost,
  users: Users,
  posts: Posts,
): boolean {
  if (clause.kind === "term") {
    return matchesTerm(clause, post, users, posts) !== clause.isNegated;
  }
  const matchesPart = (part: Clause): boolean => matchesClause(part, post, users, posts);
  return clause.kind === "and" ? clause.parts.every(matchesPart) : clause.parts.some(matchesPart);
}

function matchesTerm(
  { operator, value }: Clause & { kind: "term" },
  post: EmulatedPost,
  users: Users,
  posts: Posts,
): boolean {
  const text = post.noteText ?? post.text;
  const { metrics = {}, media = [], mentions = [], hashtags = [], urls = [] } = post;
  switch (operator) {
    case "keyword":
    case "phrase":
      return containsSequence(post, phraseSequence(value));
    case "#":
      return hashtags.some((tag) => foldTag(tag) === foldTag(value));
    case "@":
      return mentions.some(({ username }) => isSame(username, value));
    case "$":
      return findCashtags(decodeEntities(text)).some((found) => isSame(found.value, value));
    case "from":
      return isUser(users.get(post.authorId), value);
    case "to":
      return isUser(users.get(post.inReplyToUserId ?? ""), value);
    case "retweets_of":
      return isUser(repostedUser(post, users, posts), value);
    case "url":
      return containsSequence(
        post,
        urlQueryTokens(value).map((part) => ({ kind: "token", token: linkPart(part) })),
      );
    case "conversation_id":
      return conversationId(post) === value;
    case "in_reply_to_tweet_id":
      return referencedId(post, "replied_to") === value;
    case "retweets_of_tweet_id":
      return referencedId(post, "retweeted") === value;
    case "quotes_of_tweet_id":
      return referencedId(post, "quoted") === value;
    case "min_likes":
      return (metrics.likes ?? 0) >= Number(value);
    case "min_reposts":
      return (metrics.reposts ?? 0) >= Number(value);
    case "min_replies":
      return (metrics.replies ?? 0) >= Number(value);
    case "lang":
      return isSame(post.lang ?? "und", value) || (post.lang === "zh" && value.startsWith("zh-"));
    case "point_radius": {
      const circle = readCircle(value);
      if (circle === null || post.geo === undefined) return false;
      return distanceKm(post.geo, circle) <= circle.radiusKm;
    }
    case "is":
      return isOfKind(post, value, users);
    case "has":
      return hasProperty(value, { text, media, mentions, hashtags, urls, geo: post.geo });
    default:
      return false;
  }
}

function isOfKind(post: EmulatedPost, kind: string, users: Users): boolean {
  switch (kind) {
    case "retweet":
      return referencedId(post, "retweeted") !== null;
    case "reply":
      return referencedId(post, "replied_to") !== null || post.inReplyToUserId !== undefined;
    case "quote":
      return referencedId(post, "quoted") !== null;
    case "verified":
      return users.get(post.authorId)?.verified === true;
    default:
      return false;
  }
}

type SearchableFields = Required<
  Pick<EmulatedPost, "text" | "media" | "mentions" | "hashtags" | "urls">
> & {
  geo: EmulatedPost["geo"];
};

function hasProperty(
  property: string,
  { text, media, mentions, hashtags, urls, geo }: SearchableFields,
): boolean {
  switch (property) {
    case "hashtags":
      return hashtags.length > 0;
    case "cashtags":
      return findCashtags(decodeEntities(text)).length > 0;
    case "links":
      return urls.length > 0 || media.length > 0;
    case "mentions":
      return mentions.length > 0;
    case "media":
      return media.length > 0;
    case "images":
      return media.some(({ type }) => type === "photo");
    case "video_link":
      return media.some(({ type }) => type === "video");
    case "geo":
      return geo !== undefined;
    default:
      return false;
  }
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const isUser = (user: EmulatedUser | undefined, value: string): boolean =>
  user !== undefined && (user.id === value || isSame(user.username, value));

/** Falls back to the repost's text. */
function repostedUser(post: EmulatedPost, users: Users, posts: Posts): EmulatedUser | undefined {
  const id = referencedId(post, "retweeted");
  if (id === null) return undefined;
  const original = posts.get(id);
  if (original !== undefined) return users.get(original.authorId);
  const name = /^RT @(\w{1,15}):/.exec(post.text)?.[1] ?? "";
  return [...users.values()].find(({ username }) => isSame(username, name));
}

export const conversationId = (post: EmulatedPost): string => post.conversationId ?? post.id;

export function referencedId(
  post: EmulatedPost,
  kind: "replied_to" | "quoted" | "retweeted",
): string | null {
  return post.references?.find(({ type }) => type === kind)?.id ?? null;
}

const postTermCache = new WeakMap<EmulatedPost, readonly string[]>();

function containsSequence(post: EmulatedPost, elements: readonly SequenceElement[]): boolean {
  const terms = postTermCache.get(post) ?? listTerms(post);
  postTermCache.set(post, terms);
  const subject: Subject = {
    id: 0n,
    platform: "x",
    timeMs: 0,
    counts: { likes: null, reposts: null, replies: null, quotes: null },
    geo: () => null,
    terms: () => terms,
  };
  return matches({ kind: "terms", elements }, subject);
}

function listTerms({ text, noteText, hashtags = [], urls = [], media = [] }: EmulatedPost) {
  return indexTerms(
    makePost({
      platform: "x",
      text: noteText ?? text,
      hashtags,
      urls: urls.flatMap(({ expanded, unwound, mediaKey }) =>
        mediaKey === undefined ? [expanded, ...(unwound === undefined ? [] : [unwound])] : [],
      ),
      media: media.map(({ type, alt }) => ({ type, url: null, alt: alt ?? null })),
    }),
  );
}
