/**
 * Counts are indexed by thresholds only, because each change of an indexed value rewrites the
 * post's index entry.
 */

import * as facet from "@earshot/query/facets";
import { gridCell } from "@earshot/query/match";
import {
  analyzeText,
  decodeEntities,
  type EntityOptions,
  findCashtags,
  findEmoticons,
  findMentions,
  foldHandle,
  foldTag,
  GAP,
  hasQuestionMark,
  hostSuffixes,
  type Link,
  languageTags,
  linkTokens,
  parseLink,
} from "@earshot/query/text";
import { countMetrics } from "@earshot/query/tree";
import type { Media, Platform, Post, PostCounts } from "./post.ts";
import { postKeys } from "./references.ts";

export const countThresholds = [
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
] as const;

const sensitiveLabels = new Set(["porn", "sexual", "nudity", "graphic-media", "gore", "nsfl"]);

export const isSensitiveLabel = (label: string): boolean =>
  sensitiveLabels.has(label.toLowerCase());

export const handleOptionsFor = (platform: Platform): EntityOptions => ({
  dottedHandles: platform !== "x",
});

/** Old-style reposts begin with `RT` and a mention, sometimes after a quotation mark. */
const repostMark = /^["'“”„‟«»‘’‚「『]?RT\s*(?=[@＠])/i;

/**
 * All terms that find a post, in one sequence: its text, additional texts (alt texts, tags outside
 * the text, simplified emoji), link parts, and facets. Gaps separate them, so that no phrase spans
 * two.
 */
export function indexTerms(post: Post): string[] {
  const handleOptions = handleOptionsFor(post.platform);
  const { tokens, extras } = analyzeText(post.text, handleOptions);
  const tags = new Set(post.hashtags.map(foldTag));
  const links = listLinks(post.urls);
  const terms = tags.size === 0 ? tokens : [...tokens];
  addEach(terms, extras);
  for (const { alt } of post.media) {
    if (alt === null) continue;
    const analysis = analyzeText(alt, handleOptions);
    addSequence(terms, analysis.tokens);
    addEach(terms, analysis.extras);
  }
  const textTokens = tags.size === 0 ? tags : new Set(tokens);
  for (const tag of tags) {
    if (textTokens.has(tag)) continue;
    const tagTokens = analyzeText(tag).tokens;
    if (!tagTokens.every((word) => textTokens.has(word)) || !containsSequence(tokens, tagTokens))
      addSequence(terms, tagTokens);
  }
  for (const link of links) addSequence(terms, linkTokens(link).map(facet.linkPart));
  terms.push(GAP);
  for (const name of postFacets(post, tags, links)) terms.push(name);
  return terms;
}

const listLinks = (urls: readonly string[]): Link[] =>
  (urls.length < 2 ? urls : [...new Set(urls)]).map(parseLink);

function containsSequence(tokens: readonly string[], words: readonly string[]): boolean {
  return tokens.some((_, start) => words.every((word, index) => tokens[start + index] === word));
}

function addSequence(terms: string[], tokens: readonly string[]): void {
  if (tokens.length > 0) terms.push(GAP);
  for (const token of tokens) terms.push(token);
}

function addEach(terms: string[], tokens: readonly string[]): void {
  for (const token of tokens) terms.push(GAP, token);
}

type AccountIdentity = { userId: string | null; username: string | null };

/** By id if it is known, because authors may change their handles. */
function authorAccount(platform: Platform, { userId, username }: AccountIdentity): string[] {
  return userId ? [facet.accountById(platform, userId)] : handleOnlyAccount(platform, username);
}

function referencedAccount(platform: Platform, identity: AccountIdentity): string[] {
  if (!identity.userId) return handleOnlyAccount(platform, identity.username);
  return [
    facet.accountById(platform, identity.userId),
    ...accountByHandle(platform, identity.username),
  ];
}

const handleOnlyAccount = (platform: Platform, username: string | null): string[] =>
  username
    ? [
        ...accountByHandle(platform, username),
        facet.accountWithoutId(platform, foldHandle(username)),
      ]
    : [];

const accountByHandle = (platform: Platform, username: string | null): string[] =>
  username ? [facet.accountByHandle(platform, foldHandle(username))] : [];

function postFacets(post: Post, tags: ReadonlySet<string>, links: readonly Link[]): Set<string> {
  const facets = new Set([facet.everyPostFacet]);
  const text = decodeEntities(post.text);
  addAccounts(facets, post);
  addRelations(facets, post, text);
  addEntities(facets, post, links, text);
  for (const tag of tags) facets.add(facet.hashtag(tag));
  addMedia(facets, post.media);
  addLanguages(facets, post);
  addMarks(facets, post, text);
  addCounts(facets, post.counts);
  return facets;
}

type Facets = Set<string>;

function addAll(
  facets: Facets,
  names: readonly string[],
  makeFacet: (name: string) => string,
): void {
  for (const name of names) facets.add(makeFacet(name));
}

function addAccounts(facets: Facets, post: Post): void {
  const { platform, inReplyTo, quoted, reposted } = post;
  addAll(facets, authorAccount(platform, post), facet.fromAccount);
  for (const mention of post.mentions) {
    addAll(facets, referencedAccount(platform, mention), facet.mentionsAccount);
  }
  if (inReplyTo !== null) addAll(facets, referencedAccount(platform, inReplyTo), facet.toAccount);
  if (quoted !== null) addAll(facets, referencedAccount(platform, quoted), facet.quotesAccount);
  if (reposted !== null)
    addAll(facets, referencedAccount(platform, reposted), facet.repostsAccount);
}

function addRelations(facets: Facets, post: Post, text: string): void {
  const { platform, inReplyTo, quoted, reposted, isReply, isRepost } = post;
  addAll(facets, conversationTerms(post), facet.inConversation);
  if (inReplyTo !== null) addAll(facets, postKeys(platform, inReplyTo), facet.repliesTo);
  if (quoted !== null) addAll(facets, postKeys(platform, quoted), facet.quotes);
  if (reposted !== null) addAll(facets, postKeys(platform, reposted), facet.reposts);
  if (isReply && !isRepost) facets.add(facet.replyFacet);
  if (isReply && !isRepost && isReplyToSelf(post)) facets.add(facet.selfReplyFacet);
  if (post.isQuote) facets.add(facet.quoteFacet);
  if (isRepost) facets.add(facet.nativeRepostFacet);
  if (isRepost || isOldStyleRepost(text, post.platform)) facets.add(facet.repostFacet);
}

function isOldStyleRepost(text: string, platform: Platform): boolean {
  const mentionStart = repostMark.exec(text)?.[0].length;
  if (mentionStart === undefined) return false;
  return findMentions(text, handleOptionsFor(platform))[0]?.start === mentionStart;
}

function conversationTerms(post: Post): string[] {
  const { platform, conversationId, uri } = post;
  if (conversationId !== null) return postKeys(platform, { id: conversationId, uri: null });
  return post.isReply || post.isRepost ? [] : postKeys(platform, { id: null, uri });
}

function isReplyToSelf({ userId, username, inReplyTo }: Post): boolean {
  if (userId !== null && inReplyTo?.userId) {
    return userId.toLowerCase() === inReplyTo.userId.toLowerCase();
  }
  if (username === "" || !inReplyTo?.username) return false;
  return foldHandle(username) === foldHandle(inReplyTo.username);
}

function addEntities(facets: Facets, post: Post, links: readonly Link[], text: string): void {
  const cashtags = findCashtags(text);
  for (const { value } of cashtags) facets.add(facet.cashtag(value));
  for (const link of links) addAll(facets, hostSuffixes(link), facet.linkDomain);
  addAll(facets, findEmoticons(text), facet.emoticon);
  if (post.hashtags.length > 0) facets.add(facet.hashtagFacet);
  if (cashtags.length > 0) facets.add(facet.cashtagFacet);
  if (post.mentions.length > 0) facets.add(facet.mentionFacet);
  if (post.urls.length > 0) facets.add(facet.linkFacet);
}

function addMedia(facets: Facets, media: readonly Media[]): void {
  if (media.length === 0) return;
  facets.add(facet.mediaFacet);
  if (media.some(isImage)) facets.add(facet.imageFacet);
  if (media.some(isVideo)) facets.add(facet.videoFacet);
}

const isVideo = ({ type }: Media): boolean =>
  /^(?:video(?:\/.*)?|gifv?|animated_gif|image\/gif)$/i.test(type);
const isImage = (medium: Media): boolean =>
  !isVideo(medium) && /^(?:image(?:\/.*)?|photo|picture)$/i.test(medium.type);

function addLanguages(facets: Facets, { langs, detectedLang }: Post): void {
  const languages = langs.length > 0 || detectedLang === null ? langs : [detectedLang];
  const sizeBefore = facets.size;
  for (const tag of languages) addAll(facets, languageTags(tag), facet.language);
  if (facets.size === sizeBefore) facets.add(facet.language("und"));
}

function addMarks(facets: Facets, post: Post, text: string): void {
  const isSensitive = post.sensitive === true || post.labels.some(isSensitiveLabel);
  addAll(facets, post.labels, facet.label);
  if (post.source !== null) facets.add(facet.writtenWith(post.source));
  if (post.authorVerified === true) facets.add(facet.verifiedFacet);
  if (isSensitive) facets.add(facet.sensitiveFacet);
  if (hasQuestionMark(text)) facets.add(facet.questionFacet);
  if (post.geo === null) return;
  facets.add(facet.geoFacet);
  facets.add(facet.geoCell(gridCell(post.geo)));
}

function addCounts(facets: Facets, counts: PostCounts): void {
  for (const metric of countMetrics) {
    const count = counts[metric] ?? 0;
    for (const threshold of countThresholds) {
      if (count < threshold) break;
      facets.add(facet.atLeast(metric, threshold));
    }
  }
}
