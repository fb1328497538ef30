import type { PostProperty } from "../tree/tree.ts";
import { nearest } from "./nearest.ts";

/** `value` is in the form of docs/query-language.md. */
type ValueOperator = { value: string; aliases: readonly string[] };

const defineOperator = (value: string, ...aliases: string[]): ValueOperator => ({ value, aliases });

export const valueOperators = {
  from: defineOperator("<username>"),
  to: defineOperator("<username>"),
  lang: defineOperator("<language_code>"),
  since: defineOperator("<yyyy-mm-dd>"),
  until: defineOperator("<yyyy-mm-dd>"),
  since_time: defineOperator("<seconds>"),
  until_time: defineOperator("<seconds>"),
  within_time: defineOperator("<duration>"),
  since_id: defineOperator("<id>"),
  max_id: defineOperator("<id>"),
  min_faves: defineOperator("<number>", "min_likes"),
  min_retweets: defineOperator("<number>", "min_reposts"),
  min_replies: defineOperator("<number>"),
  min_quotes: defineOperator("<number>"),
  conversation_id: defineOperator("<post>"),
  in_reply_to: defineOperator("<post>", "in_reply_to_tweet_id", "in_reply_to_status_id"),
  quoted: defineOperator("<post>", "quoted_tweet_id"),
  retweets_of_tweet_id: defineOperator("<post>"),
  quoted_user_id: defineOperator("<username>", "quoted_user"),
  retweets_of: defineOperator("<username>", "retweets_of_user_id"),
  geocode: defineOperator("<latitude>,<longitude>,<radius>"),
  url: defineOperator('"<url>"'),
  domain: defineOperator("<host>"),
  platform: defineOperator("<platform>"),
  label: defineOperator("<label>"),
  source: defineOperator("<app>"),
};
export type OperatorName = keyof typeof valueOperators;

/** `exclude:` negates, and `include:` has no effect. */
export const filterOperators = ["filter", "is", "has", "exclude", "include"] as const;
export type FilterOperator = (typeof filterOperators)[number];

export const propertyAliases: Readonly<Record<PostProperty, readonly string[]>> = {
  retweets: ["retweet"],
  nativeretweets: ["nativeretweet"],
  replies: ["reply"],
  quote: ["quotes"],
  self_threads: ["self_thread"],
  safe: [],
  verified: [],
  links: ["link"],
  media: [],
  images: ["image", "twimg"],
  videos: ["video", "native_video", "consumer_video"],
  hashtags: ["hashtag"],
  mentions: ["mention"],
  cashtags: ["cashtag"],
  geo: [],
  has_engagement: ["engagement"],
};

/** `reason` completes "it …". `lead` introduces an `instead` that is only an example. */
export type Unavailable = { reason: string; instead: string | null; lead?: string };

const placeOperator: Unavailable = {
  reason: "requires a gazetteer",
  instead: "geocode:<latitude>,<longitude>,<radius>",
};
const areaOperator: Unavailable = {
  reason: "describes an area other than a circle",
  instead: "geocode:<latitude>,<longitude>,<radius>",
};
const card: Unavailable = {
  reason: "uses the card of a link, which is not stored",
  instead: "domain: or url:",
};
const annotation: Unavailable = {
  reason: "uses X's annotations, which no source provides",
  instead: "words or hashtags",
};
const followOperator: Unavailable = {
  reason: "depends on the accounts that a user follows, but a key follows none",
  instead: "(from:nasa OR from:esa)",
  lead: "name the accounts, for example",
};
const service: Unavailable = {
  reason: "names a service of X that no source identifies",
  instead: "domain: with the service's host, or has:videos",
};

export const unavailableOperators = {
  near: placeOperator,
  within: placeOperator,
  place: placeOperator,
  place_country: placeOperator,
  point_radius: areaOperator,
  bounding_box: areaOperator,
  list: {
    reason: "uses the members of a list, which only the platform knows",
    instead: "(from:nasa OR from:esa)",
    lead: "name the accounts, for example",
  },
  card_name: card,
  card_domain: card,
  card_url: card,
  context: annotation,
  entity: annotation,
} as const satisfies Record<string, Unavailable>;
export type UnavailableName = keyof typeof unavailableOperators;

export const unavailableFilters: Readonly<Record<string, Unavailable>> = {
  follows: followOperator,
  social: followOperator,
  trusted: followOperator,
  blue_verified: {
    reason: "uses paid verification, which no source reports",
    instead: "filter:verified",
  },
  news: {
    reason: "uses a list of sites that X does not publish",
    instead: "(domain:bbc.com OR domain:reuters.com)",
    lead: "name the sites, for example",
  },
  periscope: service,
  vine: service,
  spaces: service,
  pro_video: service,
  nullcast: { reason: "selects advertisements, which no source provides", instead: null },
};

const operatorNames = makeNames(valueOperators, ({ aliases }) => aliases);
const propertyNames = makeNames(propertyAliases, (aliases) => aliases);

function makeNames<Name extends string, Row>(
  table: Readonly<Record<Name, Row>>,
  listAliases: (row: Row) => readonly string[],
): ReadonlyMap<string, Name> {
  const rows = Object.entries(table) as [Name, Row][];
  return new Map(
    rows.flatMap(([name, row]) => [name, ...listAliases(row)].map((text) => [text, name])),
  );
}

export function operatorNamed(text: string): OperatorName | null {
  return operatorNames.get(text.toLowerCase()) ?? null;
}

export function filterOperatorNamed(text: string): FilterOperator | null {
  const name = text.toLowerCase();
  return filterOperators.find((operator) => operator === name) ?? null;
}

export function propertyNamed(text: string): PostProperty | null {
  return propertyNames.get(text.toLowerCase()) ?? null;
}

export function unavailableOperatorNamed(text: string): UnavailableName | null {
  const name = text.toLowerCase();
  return Object.hasOwn(unavailableOperators, name) ? (name as UnavailableName) : null;
}

export function unavailableFilter(text: string): Unavailable | null {
  const name = text.toLowerCase();
  return Object.hasOwn(unavailableFilters, name) ? (unavailableFilters[name] ?? null) : null;
}

export function isOperatorName(text: string): boolean {
  return (
    operatorNamed(text) !== null ||
    filterOperatorNamed(text) !== null ||
    unavailableOperatorNamed(text) !== null
  );
}

export function likelyOperator(text: string): string | null {
  return nearest(text, [...operatorNames.keys(), ...filterOperators]);
}

const propertySynonyms: Readonly<Record<string, PostProperty>> = {
  repost: "retweets",
  reposts: "retweets",
  rt: "retweets",
  comments: "replies",
  picture: "images",
  pictures: "images",
  photo: "images",
  photos: "images",
  pic: "images",
  pics: "images",
  gif: "videos",
  gifs: "videos",
  url: "links",
  urls: "links",
  tags: "hashtags",
  location: "geo",
  thread: "self_threads",
  threads: "self_threads",
  blue: "verified",
};

export function likelyProperty(text: string): string | null {
  const name = text.toLowerCase();
  if (Object.hasOwn(propertySynonyms, name)) return propertySynonyms[name] ?? null;
  return nearest(name, [...propertyNames.keys()]);
}
