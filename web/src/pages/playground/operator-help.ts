import type { FilterOperator, OperatorName } from "@earshot/query";
import type { PostProperty } from "@earshot/query/tree";

export type OperatorHelp = { example: string; meaning: string };

export const operatorHelp: Record<OperatorName, OperatorHelp> = {
  from: { example: "from:nasa", meaning: "By one account" },
  to: { example: "to:nasa", meaning: "Replies to an account" },
  lang: { example: "lang:en", meaning: "In a language" },
  since: { example: "since:2026-01-01", meaning: "Posted on this day or later" },
  until: { example: "until:2026-02-01", meaning: "Posted before this day" },
  within_time: { example: "within_time:3h", meaning: "Posted in the last hours or days" },
  since_time: { example: "since_time:1767225600", meaning: "Posted at this Unix time or later" },
  until_time: { example: "until_time:1769904000", meaning: "Posted before this Unix time" },
  since_id: { example: "since_id:1138872932887924737", meaning: "With a higher ID" },
  max_id: { example: "max_id:1144730280353247233", meaning: "With this ID or a lower one" },
  min_faves: { example: "min_faves:50", meaning: "At least this many likes" },
  min_retweets: { example: "min_retweets:10", meaning: "At least this many reposts" },
  min_replies: { example: "min_replies:5", meaning: "At least this many replies" },
  min_quotes: { example: "min_quotes:5", meaning: "At least this many quotes" },
  platform: { example: "platform:bluesky", meaning: "On one platform" },
  domain: { example: "domain:nasa.gov", meaning: "Links to a host" },
  url: { example: 'url:"nasa.gov/artemis"', meaning: "Links to a URL with these parts" },
  conversation_id: {
    example: "conversation_id:1140437409710116865",
    meaning: "In the conversation that a post started",
  },
  in_reply_to: { example: "in_reply_to:1140437409710116865", meaning: "Replies to a post" },
  quoted: { example: "quoted:1138631847783608321", meaning: "Quotes of a post" },
  quoted_user_id: { example: "quoted_user_id:11348282", meaning: "Quotes of an account's posts" },
  retweets_of: { example: "retweets_of:nasa", meaning: "Reposts of an account's posts" },
  retweets_of_tweet_id: {
    example: "retweets_of_tweet_id:1138631847783608321",
    meaning: "Reposts of a post",
  },
  geocode: { example: "geocode:37.7764,-122.4172,10km", meaning: "Within a circle" },
  label: { example: "label:spoiler", meaning: "With a moderation label" },
  source: { example: 'source:"Twitter for iOS"', meaning: "Written with an app" },
};

/** For `filter:`, `is:`, `has:` and, negated, `exclude:`. */
export const propertyHelp: Record<PostProperty, string> = {
  links: "With a link",
  media: "With a picture, a video or other media",
  images: "With a picture",
  videos: "With a video or an animated image",
  replies: "Replies",
  retweets: "Reposts",
  nativeretweets: "Native reposts",
  quote: "Quotes of another post",
  self_threads: "Replies of an account to itself",
  hashtags: "With a hashtag",
  mentions: "That mention an account",
  cashtags: "With a cashtag",
  geo: "With coordinates",
  has_engagement: "With a like, a repost or a reply",
  safe: "Not marked as sensitive",
  verified: "By a verified author",
};

export const filterHelp: Record<FilterOperator, string> = {
  filter: "Posts of one kind, such as replies or links",
  is: "The same as filter:",
  has: "The same as filter:",
  exclude: "No posts of this kind",
  include: "No effect: posts are included unless excluded",
};

export const basicHelp: readonly OperatorHelp[] = [
  { example: "storm harbour", meaning: "Both words" },
  { example: '"storm surge"', meaning: "These words, next to each other" },
  { example: "(storm OR flood)", meaning: "At least one of them" },
  { example: "storm -drill", meaning: "Without the word after the minus" },
  { example: "#nasa", meaning: "With a hashtag" },
  { example: "@nasa", meaning: "That mention an account" },
  { example: "$TWTR", meaning: "With a cashtag" },
  { example: "where ?", meaning: "That ask a question" },
];

export const filterExamples: readonly OperatorHelp[] = [
  { example: "-filter:retweets", meaning: "No reposts" },
  ...Object.entries(propertyHelp).map(([name, meaning]) => ({
    example: `filter:${name}`,
    meaning,
  })),
];
