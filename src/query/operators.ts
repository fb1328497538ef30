import { nearest } from "../lib/nearest.ts";

/** One row of the query language: what is written, what it means, and an example that parses. */
export type Operator = {
  /** What stands before the colon, or the term of operators without one. */
  name: string;
  aliases: readonly string[];
  syntax: string;
  meaning: string;
  example: string;
};

export const operators: readonly Operator[] = [
  operator('"', '"<phrase>"', "these words, next to each other", '"state of the art"'),
  operator("#", "#<hashtag>", "the hashtag itself, not the bare word", "#nasa"),
  operator("@", "@<username>", "mentions the account", "@nasa -from:nasa"),
  operator("from", "from:<username>", "posted by the account", "moon from:nasa"),
  operator("to", "to:<username>", "directed to the account, as a reply", "#MoonTunes to:nasa"),
  operator("lang", "lang:<language_code>", "written in the language", "eclipse lang:es"),
  operator(
    "since",
    "since:<yyyy-mm-dd>",
    "posted at this time or later; a date starts at 00:00 UTC",
    "eclipse since:2024-04-01",
  ),
  operator(
    "until",
    "until:<yyyy-mm-dd>",
    "posted before this time; the day itself is left out",
    "since:2024-04-01 until:2024-05-01 eclipse",
  ),
  operator("filter:retweets", "-filter:retweets", "without reposts", "nasa -filter:retweets", [
    "is:retweet",
    "exclude:retweets",
  ]),
  operator("min_faves", "min_faves:<number>", "at least this many likes", "nasa min_faves:1000", [
    "min_likes",
  ]),
  operator(
    "min_retweets",
    "min_retweets:<number>",
    "at least this many reposts",
    "nasa min_retweets:500",
    ["min_reposts"],
  ),
  operator("-", "-<keyword>", "without what follows", "bears -chicago"),
  operator("OR", "<term1> OR <term2>", "at least one of the terms", "puppy OR kitten"),
  operator(
    "geocode",
    "geocode:<latitude>,<longitude>,<radius>",
    "posted within the radius, in km or mi, of the point",
    "coffee geocode:37.7764,-122.4172,10km",
  ),
  operator("url", 'url:"<url>"', "holds a link with these parts", 'url:"nasa.gov/artemis"'),
  operator("?", "?", "asks a question", "where ? eclipse"),
  operator("filter:safe", "filter:safe", "not marked as sensitive", "art filter:safe"),
];

function operator(
  name: string,
  syntax: string,
  meaning: string,
  example: string,
  aliases: readonly string[] = [],
): Operator {
  return { name, syntax, meaning, example, aliases };
}

/** Operators of the form `name:value` that this version answers; aliases lead to the name. */
const supportedNames: ReadonlyMap<string, string> = new Map([
  ["from", "from"],
  ["to", "to"],
  ["lang", "lang"],
  ["since", "since"],
  ["until", "until"],
  ["min_faves", "min_faves"],
  ["min_likes", "min_faves"],
  ["min_retweets", "min_retweets"],
  ["min_reposts", "min_retweets"],
  ["geocode", "geocode"],
  ["url", "url"],
  ["filter", "filter"],
  ["is", "is"],
  ["exclude", "exclude"],
  ["include", "include"],
]);

/** Names that belong to the language and that this version does not answer. */
export const unavailableNames: readonly string[] = [
  ..."since_time until_time since_id max_id within_time min_replies min_quotes".split(" "),
  ..."conversation_id quoted_tweet_id quoted_user_id in_reply_to_tweet_id".split(" "),
  ..."in_reply_to_status_id retweets_of retweets_of_tweet_id retweets_of_user_id".split(" "),
  ..."source has near within place place_country point_radius bounding_box list".split(" "),
  ..."card_name card_domain card_url context entity".split(" "),
];

/** Values of `filter:`, `is:`, `exclude:` and `include:` that belong to the language and that this version does not answer. */
export const unavailableFilters: readonly string[] = [
  ..."replies reply nativeretweets quote quotes self_threads links media images twimg".split(" "),
  ..."videos video native_video consumer_video pro_video hashtags mentions cashtags".split(" "),
  ..."has_engagement verified blue_verified news spaces periscope vine".split(" "),
  ..."follows social trusted nullcast".split(" "),
];

const substitutes: Readonly<Record<string, string>> = {
  near: "use geocode:<latitude>,<longitude>,<radius>",
  within: "use geocode:<latitude>,<longitude>,<radius>",
  point_radius: "use geocode:<latitude>,<longitude>,<radius>",
  since_time: "use since: with a time, as in since:2024-01-31_12:00:00_UTC",
  until_time: "use until: with a time, as in until:2024-01-31_12:00:00_UTC",
  within_time: "use since: with a time, as in since:2024-01-31_12:00:00_UTC",
  since_id: "use since: with a time, as in since:2024-01-31_12:00:00_UTC",
  max_id: "use until: with a time, as in until:2024-01-31_12:00:00_UTC",
  card_domain: "use url:",
  card_url: "use url:",
  "filter:nativeretweets": "use filter:retweets",
  "exclude:nativeretweets": "use -filter:retweets",
};

/** What to write in place of an operator that this version does not answer. */
export function substituteFor(label: string): string {
  return (
    substitutes[label.toLowerCase().replace(/:$/, "")] ??
    "leave it out, or put it in quotes to search for its words"
  );
}

/** The canonical name of a supported operator, or null. */
export function supportedName(written: string): string | null {
  return supportedNames.get(written.toLowerCase()) ?? null;
}

function isUnavailableName(written: string): boolean {
  return unavailableNames.includes(written.toLowerCase());
}

export function isOperatorName(written: string): boolean {
  return supportedName(written) !== null || isUnavailableName(written);
}

/** The operator that a misspelt name most likely meant, or null. */
export function nearestOperator(written: string): string | null {
  return nearest(written, [...supportedNames.keys(), ...unavailableNames]);
}
