import { analyzeText, asksQuestion, GAP } from "../text/analyze.ts";
import { findEmoticons } from "../text/emoticons.ts";
import { findCashtags, foldHandle, foldTag } from "../text/entities.ts";
import * as facet from "../text/facets.ts";
import { decodeEntities } from "../text/html.ts";
import { languageTags } from "../text/languages.ts";
import { hostSuffixes, urlTokens } from "../text/urls.ts";
import { cellOf } from "./geo.ts";
import type { Media, Platform, Post, PostCounts, PostReference } from "./post.ts";
import { postKeys } from "./references.ts";

/** Counts from which on a post carries a facet; the exact number stands in its row. */
export const countThresholds = [
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
] as const;

/** Labels that say a post is not for everyone's eyes. */
const sensitiveLabels = new Set(["porn", "sexual", "nudity", "graphic-media", "gore", "nsfl"]);

/** Whether a label marks a post as sensitive. */
export const isSensitiveLabel = (label: string): boolean =>
  sensitiveLabels.has(label.toLowerCase());

/** Reposts from before there was a button for them begin with `RT @`, at times within a quotation mark. */
const oldStyleRepost = /^["“]?RT\s*[@＠]/;

/**
 * Everything that a post can be found by, one sequence: its text, then what goes with it (alt texts, tags beside the text,
 * simpler forms of emoji), links part by part, and facets. Gaps stand between, so that no phrase runs from one into the next.
 * The archive indexes exactly this and the matcher reads exactly this.
 */
export function indexTerms(post: Post): string[] {
  // On X a dot ends a handle; elsewhere handles are domain names.
  const handles = { dottedHandles: post.platform !== "x" };
  const text = analyzeText(post.text, handles);
  const terms = [...text.tokens];
  const beside = (tokens: readonly string[]): void => {
    if (tokens.length > 0) terms.push(GAP, ...tokens);
  };
  for (const extra of text.extras) beside([extra]);
  for (const medium of post.media) {
    if (medium.alt === null) continue;
    const alt = analyzeText(medium.alt, handles);
    beside(alt.tokens);
    for (const extra of alt.extras) beside([extra]);
  }
  const tags = new Set(post.hashtags.map(foldTag));
  const inText = new Set(text.tokens);
  for (const tag of tags) {
    const words = analyzeText(tag).tokens;
    if (words.some((word) => !inText.has(word))) beside(words);
  }
  for (const url of new Set(post.urls)) beside(urlTokens(url).map(facet.linkPart));
  terms.push(GAP, ...facetsOf(post, tags));
  return terms;
}

type Named = { userId: string | null; username: string | null };

/** By the account's id where it is known, else by the handle: an author may bear another one later. */
function author(platform: Platform, { userId, username }: Named): string[] {
  return userId ? [facet.accountById(platform, userId)] : byHandle(platform, username);
}

/** By the id, and by the handle that the post writes: that is what a reader of it looks for. */
function addressed(platform: Platform, named: Named | null): string[] {
  if (named === null) return [];
  const byId = named.userId ? [facet.accountById(platform, named.userId)] : [];
  return [...byId, ...byHandle(platform, named.username)];
}

const byHandle = (platform: Platform, username: string | null): string[] =>
  username ? [facet.accountByHandle(platform, foldHandle(username))] : [];

/** Everything about a post that is no word of it, each once. */
function facetsOf(post: Post, tags: ReadonlySet<string>): Set<string> {
  return new Set(
    [
      facet.everyPost,
      ...accountFacets(post),
      ...relationFacets(post),
      ...entityFacets(post, tags),
      ...languageFacets(post),
      ...markFacets(post),
      ...countFacets(post.counts),
    ].filter((name) => name !== null),
  );
}

type Facets = (string | null)[];

const when = (holds: boolean, name: string): Facets => (holds ? [name] : []);
const named = (facetOf: (name: string) => string, name: string | null): Facets =>
  name === null ? [] : [facetOf(name)];

function accountFacets(post: Post): string[] {
  const { platform, inReplyTo, quoted, reposted } = post;
  const mentioned = post.mentions.flatMap((mention) => addressed(platform, mention));
  return [
    ...author(platform, post).map(facet.fromAccount),
    ...addressed(platform, inReplyTo).map(facet.toAccount),
    ...mentioned.map(facet.mentionsAccount),
    ...addressed(platform, quoted).map(facet.quotesAccount),
    ...addressed(platform, reposted).map(facet.repostsAccount),
  ];
}

function relationFacets(post: Post): Facets {
  const { platform, inReplyTo, quoted, reposted } = post;
  const related = (facetOf: (key: string) => string, to: PostReference | null): Facets =>
    to === null ? [] : postKeys(platform, to).map(facetOf);
  return [
    ...conversationOf(post).map(facet.inConversation),
    ...related(facet.repliesTo, inReplyTo),
    ...related(facet.quotes, quoted),
    ...related(facet.reposts, reposted),
    // A repost of a reply is no reply.
    ...when(post.isReply && !post.isRepost, facet.isReply),
    ...when(post.isReply && !post.isRepost && answersItself(post), facet.isSelfReply),
    ...when(post.isQuote, facet.isQuote),
    ...when(post.isRepost, facet.isNativeRepost),
    ...when(post.isRepost || oldStyleRepost.test(decodeEntities(post.text)), facet.isRepost),
  ];
}

/** A conversation is named by the post that began it, and that post belongs to it. */
function conversationOf(post: Post): string[] {
  const { platform, conversationId, uri } = post;
  if (conversationId !== null) return postKeys(platform, { id: conversationId, uri: null });
  return post.isReply || post.isRepost ? [] : postKeys(platform, { id: null, uri });
}

/** Whether a reply answers its own author: by their ids where both are known, else by their handles. */
function answersItself({ userId, username, inReplyTo }: Post): boolean {
  if (userId !== null && inReplyTo?.userId) {
    return userId.toLowerCase() === inReplyTo.userId.toLowerCase();
  }
  if (username === "" || !inReplyTo?.username) return false;
  return foldHandle(username) === foldHandle(inReplyTo.username);
}

function entityFacets(post: Post, tags: ReadonlySet<string>): Facets {
  const text = decodeEntities(post.text);
  const cashtags = findCashtags(text);
  return [
    ...[...tags].map(facet.hashtag),
    ...cashtags.map(({ value }) => facet.cashtag(value)),
    ...post.urls.flatMap((url) => hostSuffixes(url).map(facet.linkDomain)),
    ...findEmoticons(text).map(facet.emoticon),
    ...when(tags.size > 0, facet.hasHashtag),
    ...when(cashtags.length > 0, facet.hasCashtag),
    ...when(post.mentions.length > 0, facet.hasMention),
    ...when(post.urls.length > 0, facet.hasLink),
    ...when(post.media.length > 0, facet.hasMedia),
    ...when(post.media.some(isImage), facet.hasImage),
    ...when(post.media.some(isVideo), facet.hasVideo),
  ];
}

/** Types of media as platforms name them: a moving picture counts as a video. */
const isVideo = ({ type }: Media): boolean =>
  /^(?:video(?:\/.*)?|gifv?|animated_gif|image\/gif)$/i.test(type);
const isImage = (medium: Media): boolean =>
  !isVideo(medium) && /^(?:image(?:\/.*)?|photo|picture)$/i.test(medium.type);

function languageFacets({ langs, detectedLang }: Post): Facets {
  const told = langs.length > 0 || detectedLang === null ? langs : [detectedLang];
  const languages = told.flatMap(languageTags);
  return (languages.length > 0 ? languages : ["und"]).map(facet.language);
}

function markFacets(post: Post): Facets {
  const isSensitive = post.labels.some(isSensitiveLabel);
  return [
    ...post.labels.map(facet.label),
    ...named(facet.writtenWith, post.source),
    ...when(post.authorVerified === true, facet.isVerified),
    ...when(post.sensitive === true || isSensitive, facet.isSensitive),
    ...when(asksQuestion(decodeEntities(post.text)), facet.isQuestion),
    ...(post.geo === null ? [] : [facet.hasGeo, facet.geoCell(cellOf(post.geo))]),
  ];
}

const countMetrics = ["likes", "reposts", "replies", "quotes"] as const;

function countFacets(counts: PostCounts): Facets {
  return countMetrics.flatMap((metric) =>
    countThresholds
      .filter((threshold) => (counts[metric] ?? 0) >= threshold)
      .map((threshold) => facet.atLeast(metric, threshold)),
  );
}
