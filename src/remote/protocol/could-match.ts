import { matches, type Subject } from "@earshot/query/match";
import { makePlan } from "@earshot/query/plan";
import { foldHandle } from "@earshot/query/text";
import type { QueryLeaf, QueryNode } from "@earshot/query/tree";
import { once } from "../../lib/once.ts";
import { firstTimeMs, hasTime, idTimeMs } from "../../posts/ids.ts";
import type { Post, PostReference } from "../../posts/post.ts";
import { indexTerms } from "../../posts/terms.ts";
import type { ParsedRecord } from "./read-record.ts";

/** Null means unknown, because names, counts and references may be missing. */
type Verdict = boolean | null;

type ShownPost = {
  subject: Subject;
  post: Post | null;
  times: TimeRange;
};

export type TimeRange = { earliestMs: number; latestMs: number };

/** Imported files may have imprecise times for posts on X. */
const skewMs = 60_000;

/** False only if the record rules out a match. */
export function couldMatch(
  tree: QueryNode,
  asOfMs: number,
  id: bigint,
  { item, post, createdMs }: ParsedRecord,
): boolean {
  const times = possibleTimes(id, createdMs);
  const subject: Subject = {
    id,
    platform: item.platform,
    timeMs: times.earliestMs,
    counts: post?.counts ?? unknownCounts,
    geo: () => post?.geo ?? null,
    terms: once(() => (post === null ? [] : indexTerms(post))),
  };
  return nodeVerdict(tree, { subject, post, times }, asOfMs) !== false;
}

/** The earlier of a post's claimed and observed times; its ID approximates the latter. */
export function possibleTimes(id: bigint, createdMs: number | null): TimeRange {
  if (!hasTime(id)) {
    if (createdMs !== null) return { earliestMs: createdMs, latestMs: createdMs };
    return { earliestMs: Number.NEGATIVE_INFINITY, latestMs: firstTimeMs };
  }
  const idMs = idTimeMs(id);
  if (createdMs === null) return { earliestMs: idMs - skewMs, latestMs: idMs + skewMs };
  return { earliestMs: Math.min(createdMs, idMs - skewMs), latestMs: createdMs };
}

const unknownCounts = { likes: null, reposts: null, replies: null, quotes: null };

function nodeVerdict(node: QueryNode, shownPost: ShownPost, asOfMs: number): Verdict {
  switch (node.kind) {
    case "and":
    case "or": {
      const verdicts = node.children.map((child) => nodeVerdict(child, shownPost, asOfMs));
      const decisiveVerdict = node.kind === "or";
      if (verdicts.includes(decisiveVerdict)) return decisiveVerdict;
      return verdicts.includes(null) ? null : !decisiveVerdict;
    }
    case "not":
      return negate(nodeVerdict(node.child, shownPost, asOfMs));
    default:
      return leafVerdict(node, shownPost, asOfMs);
  }
}

const negate = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict);

const noNames = { accounts: new Map(), posts: new Map() };

function leafVerdict(
  leaf: QueryLeaf,
  { subject, post, times }: ShownPost,
  asOfMs: number,
): Verdict {
  switch (leaf.kind) {
    case "since":
      return isSince(times, leaf.ms);
    case "within":
      return isSince(times, asOfMs - leaf.ms);
    case "until":
      return negate(isSince(times, leaf.ms));
    case "since-id":
    case "max-id":
    case "platform":
      return matches(makePlan(leaf, { names: noNames, asOfMs }), subject);
  }
  if (post === null) return null;
  switch (leaf.kind) {
    case "from":
      return isAccount(leaf.user, post);
    case "to":
      return isAccount(leaf.user, post.inReplyTo);
    case "quoted-user":
      return isAccount(leaf.user, post.quoted);
    case "retweets-of":
      return isAccount(leaf.user, post.reposted);
    case "mention":
      if (post.mentions.length === 0) return false;
      return post.mentions.some(({ username }) => foldHandle(username) === leaf.user) || null;
    case "related":
      return relatedVerdict(leaf, post);
    case "property":
      if (leaf.property === "self_threads" && post.isReply && !areAccountsKnown(post)) return null;
  }
  return matches(makePlan(leaf, { names: noNames, asOfMs }), subject);
}

function isSince({ earliestMs, latestMs }: TimeRange, ms: number): Verdict {
  if (earliestMs >= ms) return true;
  return latestMs < ms ? false : null;
}

function isAccount(
  name: string,
  account: Pick<PostReference, "username" | "userId"> | null,
): Verdict {
  if (account === null) return false;
  const { username, userId } = account;
  if (username && foldHandle(username) === name) return true;
  if (!name.startsWith("did:") || !userId) return null;
  return userId.toLowerCase() === name.toLowerCase();
}

function relatedVerdict(
  { relation }: Extract<QueryLeaf, { kind: "related" }>,
  { inReplyTo, quoted, reposted }: Post,
): Verdict {
  const referenceByRelation = { in_reply_to: inReplyTo, quoted, retweets_of_tweet_id: reposted };
  return relation !== "conversation_id" && referenceByRelation[relation] === null ? false : null;
}

const areAccountsKnown = ({ userId, inReplyTo }: Post): boolean =>
  userId !== null && Boolean(inReplyTo?.userId);
