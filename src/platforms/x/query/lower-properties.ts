import type { PostProperty } from "@earshot/query/tree";
import {
  anyOf,
  dependent,
  type Expression,
  matchAll,
  standalone,
  type Term,
} from "./expression.ts";

/** Same meaning on X, so they can be negated. */
export const sameOnX: Readonly<Partial<Record<PostProperty, Term>>> = {
  retweets: dependent("is:retweet"),
  nativeretweets: dependent("is:retweet"),
  replies: dependent("is:reply"),
  quote: dependent("is:quote"),
  media: dependent("has:media"),
  hashtags: dependent("has:hashtags"),
  mentions: dependent("has:mentions"),
  cashtags: dependent("has:cashtags"),
};

export const propertyTerms: Readonly<Record<PostProperty, Expression>> = {
  // Reposts older than the repost button say `RT` in their text.
  retweets: anyOf([dependent("is:retweet"), standalone("RT")]),
  nativeretweets: dependent("is:retweet"),
  replies: dependent("is:reply"),
  quote: dependent("is:quote"),
  self_threads: dependent("is:reply"),
  safe: matchAll,
  verified: dependent("is:verified"),
  links: dependent("has:links"),
  media: dependent("has:media"),
  images: dependent("has:media"),
  // X separates animated GIFs from videos.
  videos: dependent("has:media"),
  hashtags: dependent("has:hashtags"),
  mentions: dependent("has:mentions"),
  cashtags: dependent("has:cashtags"),
  geo: dependent("has:geo"),
  has_engagement: anyOf(["min_likes:1", "min_reposts:1", "min_replies:1"].map(standalone)),
};
