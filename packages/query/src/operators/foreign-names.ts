import { isOperatorName, likelyProperty, propertyNamed } from "./operators.ts";
import { countNamed, countQuery, dateRangeQuery, readRange } from "./suggested-range.ts";

/** Most likely first; `otherwise` says what to do if there are none. */
export type Suggestion = { queries: readonly string[]; otherwise: string | null };

type Translate = (value: string) => Suggestion;

const withPrefixes =
  (...starts: string[]): Translate =>
  (value) => ({ queries: starts.map((start) => start + value), otherwise: null });

const sigil =
  (character: string): Translate =>
  (value) => ({ queries: [character + value.replace(/^["#@$]+|"$/g, "")], otherwise: null });

const noQuery =
  (otherwise: string): Translate =>
  () => ({ queries: [], otherwise });

const site: Translate = (value) => ({
  queries: [`domain:${value}`, `url:"${value.replaceAll('"', "")}"`],
  otherwise: null,
});

const withMedia = /^(?:media|images|videos|links|hashtags|mentions|cashtags|geo)$/;

const kind: Translate = (value) => {
  const property = propertyNamed(likelyProperty(value.replaceAll('"', "")) ?? "");
  if (property === null) return { queries: [], otherwise: null };
  return {
    queries: [`${withMedia.test(property) ? "has" : "filter"}:${property}`],
    otherwise: null,
  };
};

const byId: Translate = (value) => ({
  queries: [],
  otherwise: /^\d{1,19}$/.test(value)
    ? `use the method getbyid for a post, or conversation_id:${value} for its conversation`
    : "use the method getbyid for a post",
});

const day = /^(\d{4}-\d{2}-\d{2})$/;
const msPerDay = 86_400_000;

const date: Translate = (value) => {
  const range = readRange(value);
  if (range !== null) return { queries: [dateRangeQuery(range)], otherwise: null };
  const start = Date.parse(day.exec(value)?.[1] ?? "");
  if (Number.isNaN(start)) return { queries: [`since:${value}`], otherwise: null };
  const next = new Date(start + msPerDay).toISOString().slice(0, 10);
  return { queries: [`since:${value} until:${next}`], otherwise: null };
};

const unsupportedCount = noQuery(
  "remove it: the supported counts are min_faves:, min_retweets:, min_replies: and min_quotes:",
);
const resultCount = noQuery("remove it: set the number of posts with max_results");
const order = noQuery("remove it: a query does not set the order of posts");
const noTitle = noQuery("remove it: posts have no titles or file types");

const rows: readonly (readonly [names: string, translate: Translate])[] = [
  ["author by user username screen_name account poster", withPrefixes("from:")],
  ["did", withPrefixes("from:did:")],
  ["mention mentions mentioned", sigil("@")],
  ["hashtag hashtags hastag tag tags", sigil("#")],
  ["cashtag cashtags ticker symbol", sigil("$")],
  ["language locale", withPrefixes("lang:")],
  [
    "after start start_date start_time from_date newer newer_than",
    withPrefixes("since:", "within_time:"),
  ],
  [
    "before end end_date end_time to_date older older_than",
    withPrefixes("until:", "-within_time:"),
  ],
  ["date day created created_at posted posted_at time timestamp", date],
  ["site host hostname website", site],
  ["link inurl allinurl uri", withPrefixes("url:")],
  ["app client", withPrefixes("source:")],
  [
    "text content body message keyword keywords intext allintext contains query q",
    withPrefixes(""),
  ],
  ["conversation thread thread_id", withPrefixes("conversation_id:")],
  ["reply_to replyto in_reply_to_id inreplyto", withPrefixes("in_reply_to:", "to:")],
  ["quoting quotes_of quote_of", withPrefixes("quoted:")],
  ["type media kind format only exists _exists_", kind],
  ["id tweet tweet_id status status_id post post_id", byId],
  ["limit count max_results size page page_size per_page offset top", resultCount],
  ["sort sortby sort_by order orderby order_by rank", order],
  [
    "view views view_count min_views max_views impressions min_impressions followers min_followers max_followers followers_count min_bookmarks",
    unsupportedCount,
  ],
  ["intitle allintitle title filetype", noTitle],
];

const translations = new Map(
  rows.flatMap(([names, translate]) => names.split(" ").map((name) => [name, translate] as const)),
);
const dates: ReadonlySet<string> = new Set(rows.find(([, each]) => each === date)?.[0].split(" "));

export function suggestionForName(name: string, value: string): Suggestion | null {
  const lower = name.toLowerCase();
  const count = countQuery(lower, value);
  if (count !== null) return { queries: [count], otherwise: null };
  return translations.get(lower)?.(value) ?? null;
}

/** For `name>value` and the like. */
export function suggestionForComparison(
  name: string,
  sign: string,
  value: string,
): Suggestion | null {
  const lower = name.toLowerCase();
  if (countNamed(lower) !== null) {
    const count = countQuery(lower, sign + value);
    return { queries: count === null ? [] : [count], otherwise: null };
  }
  const isTime = dates.has(lower) || /^(?:since|until)$/.test(lower);
  if (isTime && /[<>≤≥]/.test(sign)) return date(sign + value);
  if (isOperatorName(lower)) return { queries: [`${lower}:${value}`], otherwise: null };
  return translations.get(lower)?.(value) ?? null;
}
