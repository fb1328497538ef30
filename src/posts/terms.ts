import { analyzeText, asksQuestion, GAP } from "../text/analyze.ts";
import { foldHandle, foldTag } from "../text/entities.ts";
import {
  accountByHandle,
  accountById,
  atLeast,
  everyPost,
  fromAccount,
  geoCell,
  hasGeo,
  hashtag,
  isQuestion,
  isRepost,
  isSensitive,
  language,
  linkPart,
  mentionsAccount,
  toAccount,
} from "../text/facets.ts";
import { languageTags } from "../text/languages.ts";
import { urlTokens } from "../text/urls.ts";
import { cellOf } from "./geo.ts";
import type { Platform, Post, PostCounts } from "./post.ts";

/** Counts from which on a post carries a facet; the exact number stands in its row. */
export const countThresholds = [
  1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
] as const;

/** Labels that say a post is not for everyone's eyes. */
const sensitiveLabels = new Set(["porn", "sexual", "nudity", "graphic-media", "gore", "nsfl"]);

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
  for (const url of new Set(post.urls)) beside(urlTokens(url).map(linkPart));
  terms.push(GAP, ...facets(post, tags));
  return terms;
}

function account(
  platform: Platform,
  userId: string | null,
  username: string | null,
): string | null {
  if (userId !== null && userId !== "") return accountById(platform, userId);
  if (username !== null && username !== "") return accountByHandle(platform, foldHandle(username));
  return null;
}

function facets(post: Post, tags: ReadonlySet<string>): Set<string> {
  const found = new Set<string>([everyPost]);
  const { platform, inReplyTo } = post;
  const author = account(platform, post.userId, post.username);
  if (author !== null) found.add(fromAccount(author));
  const addressee = account(platform, inReplyTo?.userId ?? null, inReplyTo?.username ?? null);
  if (addressee !== null) found.add(toAccount(addressee));
  for (const mention of post.mentions) {
    const mentioned = account(platform, mention.userId, mention.username);
    if (mentioned !== null) found.add(mentionsAccount(mentioned));
  }
  for (const tag of tags) found.add(hashtag(tag));
  const languages = post.langs.flatMap(languageTags);
  for (const tag of languages.length > 0 ? languages : ["und"]) found.add(language(tag));
  if (post.isRepost || oldStyleRepost.test(post.text)) found.add(isRepost);
  if (post.sensitive === true || post.labels.some((label) => sensitiveLabels.has(label))) {
    found.add(isSensitive);
  }
  if (asksQuestion(post.text)) found.add(isQuestion);
  if (post.geo !== null) {
    found.add(hasGeo);
    found.add(geoCell(cellOf(post.geo)));
  }
  for (const facet of countFacets(post.counts)) found.add(facet);
  return found;
}

function countFacets({ likes, reposts }: PostCounts): string[] {
  const reached = (metric: string, count: number | null): string[] =>
    countThresholds
      .filter((threshold) => (count ?? 0) >= threshold)
      .map((threshold) => atLeast(metric, threshold));
  return [...reached("likes", likes), ...reached("reposts", reposts)];
}
