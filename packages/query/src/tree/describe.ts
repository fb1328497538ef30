import { type DrawnTree, drawTree } from "./draw-tree.ts";
import { printQuery } from "./print.ts";
import { searchedWords } from "./searched-words.ts";
import type { CountMetric, PostProperty, PostRelation, QueryLeaf, QueryNode } from "./tree.ts";

export function describeTree(tree: QueryNode): string {
  return drawTree(nodeDrawnTree(tree));
}

function nodeDrawnTree(node: QueryNode): DrawnTree {
  if (node.kind === "and") return { label: "all of", branches: node.children.map(nodeDrawnTree) };
  if (node.kind === "or") return { label: "any of", branches: node.children.map(nodeDrawnTree) };
  if (node.kind === "not") return drawnNegation(node.child);
  return { label: describeLeaf(node), branches: [] };
}

function drawnNegation(child: QueryNode): DrawnTree {
  if (child.kind !== "min-count" || child.atLeast === 0) {
    return { label: "not", branches: [nodeDrawnTree(child)] };
  }
  const label = `fewer than ${countText(child.atLeast, child.metric)}, or an unknown number`;
  return { label, branches: [] };
}

const singular: Readonly<Record<CountMetric, string>> = {
  likes: "like",
  reposts: "repost",
  replies: "reply",
  quotes: "quote",
};

/** `1 like`, `2 likes`. */
export function countText(count: number, metric: CountMetric): string {
  return `${count} ${count === 1 ? singular[metric] : metric}`;
}

const relations: Readonly<Record<PostRelation, string>> = {
  conversation_id: "in the conversation of",
  in_reply_to: "replies to the post",
  quoted: "quotes the post",
  retweets_of_tweet_id: "reposts the post",
};

const properties: Readonly<Record<PostProperty, string>> = {
  retweets: "a repost",
  nativeretweets: "a native repost",
  replies: "a reply",
  quote: "a quote of another post",
  self_threads: "a self-reply",
  safe: "not marked as sensitive",
  verified: "by a verified author",
  links: "has a link",
  media: "has pictures or videos",
  images: "has a picture",
  videos: "has a video",
  hashtags: "has a hashtag",
  mentions: "mentions someone",
  cashtags: "has a cashtag",
  geo: "has coordinates",
  has_engagement: "has a like, a repost or a reply",
};

function describeLeaf(leaf: QueryLeaf): string {
  switch (leaf.kind) {
    case "word":
      return describeWord(leaf.text);
    case "phrase":
      return describePhrase(leaf.text, printQuery(leaf));
    case "hashtag":
      return `hashtag #${leaf.tag}`;
    case "cashtag":
      return `cashtag $${leaf.symbol}`;
    case "mention":
      return `mention of @${leaf.user}`;
    case "from":
      return `posted by ${leaf.user}`;
    case "to":
      return `a reply to ${leaf.user}`;
    case "quoted-user":
      return `quotes a post by ${leaf.user}`;
    case "retweets-of":
      return `reposts a post by ${leaf.user}`;
    case "related":
      return `${relations[leaf.relation]} ${leaf.post}`;
    case "lang":
      return `language ${leaf.code}`;
    case "since":
      return `at or after ${new Date(leaf.ms).toISOString()}`;
    case "until":
      return `before ${new Date(leaf.ms).toISOString()}`;
    case "within":
      return `within the last ${printQuery(leaf).slice("within_time:".length)}`;
    case "since-id":
      return `ID above ${leaf.id}`;
    case "max-id":
      return `ID up to ${leaf.id}`;
    case "property":
      return properties[leaf.property];
    case "min-count":
      return `at least ${countText(leaf.atLeast, leaf.metric)}`;
    case "geocode":
      return `within ${leaf.radiusKm} km of latitude ${leaf.lat}, longitude ${leaf.lon}`;
    case "url":
      return `URL containing ${leaf.text}`;
    case "domain":
      return `links to ${leaf.host} or a subdomain`;
    case "platform":
      return `on ${leaf.platform}`;
    case "label":
      return `labelled ${leaf.label}`;
    case "source":
      return `written with ${leaf.name}`;
    case "emoticon":
      return `emoticon ${leaf.text}`;
    case "question":
      return "a question mark";
  }
}

function describeWord(text: string): string {
  const words = searchedWords(text);
  if (words === null) return `word ${text}`;
  const description = words.includes(" ") ? `adjacent words ${words}` : `word ${words}`;
  return `${description} (written ${text})`;
}

function describePhrase(text: string, quotation: string): string {
  const words = searchedWords(text);
  return words === null ? `phrase ${quotation}` : `phrase "${words}" (written ${quotation})`;
}
