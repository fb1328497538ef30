import { phraseSequence, querySequence, type SequenceElement } from "../text/sequence.ts";
import { urlQueryTokens } from "../text/urls.ts";
import type {
  CountMetric,
  PostProperty,
  PostRelation,
  QueryLeaf,
  QueryNode,
} from "../tree/tree.ts";
import {
  cashtag,
  cashtagFacet,
  emoticon,
  fromAccount,
  geoFacet,
  hashtag,
  hashtagFacet,
  imageFacet,
  inConversation,
  label,
  language,
  linkDomain,
  linkFacet,
  linkPart,
  mediaFacet,
  mentionFacet,
  mentionsAccount,
  nativeRepostFacet,
  questionFacet,
  quoteFacet,
  quotes,
  quotesAccount,
  repliesTo,
  replyFacet,
  repostFacet,
  reposts,
  repostsAccount,
  selfReplyFacet,
  sensitiveFacet,
  toAccount,
  verifiedFacet,
  videoFacet,
  writtenWith,
} from "./facets.ts";
import type { PlanNode } from "./plan.ts";

/** Only an archive can resolve these names. */
export type QueryNames = { accounts: readonly string[]; posts: readonly string[] };

/** Names with the facet keys to which they refer. */
export type ResolvedNames = {
  accounts: ReadonlyMap<string, readonly string[]>;
  posts: ReadonlyMap<string, readonly string[]>;
};

export function namesIn(tree: QueryNode): QueryNames {
  const accounts = new Set<string>();
  const posts = new Set<string>();
  const visit = (node: QueryNode): void => {
    if (node.kind === "and" || node.kind === "or") node.children.forEach(visit);
    else if (node.kind === "not") visit(node.child);
    else if ("user" in node) accounts.add(node.user);
    else if (node.kind === "related") posts.add(node.post);
  };
  visit(tree);
  return { accounts: [...accounts], posts: [...posts] };
}

/** `within_time:` counts back from `asOfMs`. */
export type PlanContext = { names: ResolvedNames; asOfMs: number };

/** Unresolved names match nothing. */
export function makePlan(tree: QueryNode, context: PlanContext): PlanNode {
  switch (tree.kind) {
    case "and":
      return all(tree.children.map((child) => makePlan(child, context)));
    case "or":
      return any(tree.children.map((child) => makePlan(child, context)));
    case "not":
      return not(makePlan(tree.child, context));
    default:
      return leafPlan(tree, context);
  }
}

function leafPlan(leaf: QueryLeaf, { names, asOfMs }: PlanContext): PlanNode {
  switch (leaf.kind) {
    case "word":
      return sequence(querySequence(leaf.text));
    case "phrase":
      return sequence(phraseSequence(leaf.text));
    case "cashtag":
      return facet(cashtag(leaf.symbol));
    case "hashtag":
      return facet(hashtag(leaf.tag));
    case "mention":
      return anyOf(names.accounts.get(leaf.user), mentionsAccount);
    case "from":
      return anyOf(names.accounts.get(leaf.user), fromAccount);
    case "to":
      return anyOf(names.accounts.get(leaf.user), toAccount);
    case "quoted-user":
      return anyOf(names.accounts.get(leaf.user), quotesAccount);
    case "retweets-of":
      return anyOf(names.accounts.get(leaf.user), repostsAccount);
    case "related":
      return anyOf(names.posts.get(leaf.post), relationFacets[leaf.relation]);
    case "lang":
      return facet(language(leaf.code));
    case "since":
      return { kind: "time", fromMs: leaf.ms, toMs: null };
    case "until":
      return { kind: "time", fromMs: null, toMs: leaf.ms };
    case "within":
      return { kind: "time", fromMs: asOfMs - leaf.ms, toMs: null };
    case "since-id":
      return { kind: "id", low: BigInt(leaf.id) + 1n, high: null };
    case "max-id":
      return { kind: "id", low: null, high: BigInt(leaf.id) };
    case "property":
      return propertyPlan(leaf.property);
    case "min-count":
      return leaf.atLeast === 0
        ? { kind: "all" }
        : { kind: "min-count", metric: leaf.metric, atLeast: leaf.atLeast };
    case "geocode":
      return { kind: "geo", lat: leaf.lat, lon: leaf.lon, radiusKm: leaf.radiusKm };
    case "url":
      return sequence(urlQueryTokens(leaf.text).map((part) => token(linkPart(part))));
    case "domain":
      return facet(linkDomain(leaf.host));
    case "platform":
      return { kind: "platform", platform: leaf.platform };
    case "label":
      return facet(label(leaf.label));
    case "source":
      return facet(writtenWith(leaf.name));
    case "emoticon":
      return facet(emoticon(leaf.text));
    case "question":
      return facet(questionFacet);
  }
}

const relationFacets: Readonly<Record<PostRelation, (post: string) => string>> = {
  conversation_id: inConversation,
  in_reply_to: repliesTo,
  quoted: quotes,
  retweets_of_tweet_id: reposts,
};

const propertyFacets: Readonly<Record<Exclude<PostProperty, "safe" | "has_engagement">, string>> = {
  retweets: repostFacet,
  nativeretweets: nativeRepostFacet,
  replies: replyFacet,
  quote: quoteFacet,
  self_threads: selfReplyFacet,
  verified: verifiedFacet,
  links: linkFacet,
  media: mediaFacet,
  images: imageFacet,
  videos: videoFacet,
  hashtags: hashtagFacet,
  mentions: mentionFacet,
  cashtags: cashtagFacet,
  geo: geoFacet,
};

function propertyPlan(property: PostProperty): PlanNode {
  if (property === "safe") return not(facet(sensitiveFacet));
  if (property === "has_engagement") {
    return any([atLeastOne("likes"), atLeastOne("reposts"), atLeastOne("replies")]);
  }
  return facet(propertyFacets[property]);
}

const atLeastOne = (metric: CountMetric): PlanNode => ({ kind: "min-count", metric, atLeast: 1 });

const anyOf = (keys: readonly string[] | undefined, makeFacet: (key: string) => string): PlanNode =>
  any((keys ?? []).map((key) => facet(makeFacet(key))));

/** Flattened, without `all`; `none` if any child is. */
export function all(children: readonly PlanNode[]): PlanNode {
  const flatChildren = children
    .flatMap((child) => (child.kind === "and" ? child.children : [child]))
    .filter((child) => child.kind !== "all");
  if (flatChildren.some((child) => child.kind === "none")) return { kind: "none" };
  if (flatChildren.length === 0) return { kind: "all" };
  return flatChildren.length === 1 && flatChildren[0]
    ? flatChildren[0]
    : { kind: "and", children: flatChildren };
}

/** Flattened, without `none`; `all` if any child is. */
export function any(children: readonly PlanNode[]): PlanNode {
  const flatChildren = children
    .flatMap((child) => (child.kind === "or" ? child.children : [child]))
    .filter((child) => child.kind !== "none");
  if (flatChildren.some((child) => child.kind === "all")) return { kind: "all" };
  if (flatChildren.length === 0) return { kind: "none" };
  return flatChildren.length === 1 && flatChildren[0]
    ? flatChildren[0]
    : { kind: "or", children: flatChildren };
}

export function not(child: PlanNode): PlanNode {
  if (child.kind === "all") return { kind: "none" };
  if (child.kind === "none") return { kind: "all" };
  return child.kind === "not" ? child.child : { kind: "not", child };
}

const token = (text: string): SequenceElement => ({ kind: "token", token: text });
const facet = (text: string): PlanNode => sequence([token(text)]);

function sequence(elements: readonly SequenceElement[]): PlanNode {
  return elements.length === 0 ? { kind: "none" } : { kind: "terms", elements };
}
