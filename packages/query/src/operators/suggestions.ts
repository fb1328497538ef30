import { countOperators } from "../tree/print.ts";
import type { CountMetric } from "../tree/tree.ts";
import { isOperatorName, likelyProperty, propertyNamed } from "./operators.ts";

/** `queries` has the most likely first; `otherwise` says what to do if there are none. */
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

const mediaProperties = /^(?:media|images|videos|links|hashtags|mentions|cashtags|geo)$/;

const kind: Translate = (value) => {
  const property = propertyNamed(likelyProperty(value.replaceAll('"', "")) ?? "");
  if (property === null) return { queries: [], otherwise: null };
  return {
    queries: [`${mediaProperties.test(property) ? "has" : "filter"}:${property}`],
    otherwise: null,
  };
};

const byId: Translate = (value) => ({
  queries: [],
  otherwise: /^\d{1,19}$/.test(value)
    ? `use the method getbyid for a post, or conversation_id:${value} for its conversation`
    : "use the method getbyid for a post",
});

const dayForm = /^(\d{4}-\d{2}-\d{2})$/;
const msPerDay = 86_400_000;

const date: Translate = (value) => {
  const range = readRange(value);
  if (range !== null) return { queries: [dateRangeQuery(range)], otherwise: null };
  const start = Date.parse(dayForm.exec(value)?.[1] ?? "");
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

const comparisonForm = /^(>=|=>|≥|<=|=<|≤|>|<|==?)\s*([^\s<>=]+)$/;

const bracketForm = /^([[{])\s*(\S+)\s+TO\s+([^\s\]}]+)\s*([\]}])$/i;

const dotForm = /^([^\s.]+)\.\.([^\s.]+)$/;

const parseBound = (value: string, isInclusive: boolean): RangeBound | null =>
  value === "*" ? null : { value, isInclusive };
const dateNames: ReadonlySet<string> = new Set(
  rows.find(([, each]) => each === date)?.[0].split(" "),
);

export function suggestionForName(name: string, value: string): Suggestion | null {
  const lower = name.toLowerCase();
  const count = countQuery(lower, value);
  if (count !== null) return { queries: [count], otherwise: null };
  return translations.get(lower)?.(value) ?? null;
}

/** Handles `name>value` and similar comparisons. */
export function suggestionForComparison(
  name: string,
  sign: string,
  value: string,
): Suggestion | null {
  const lower = name.toLowerCase();
  if (parseCountName(lower) !== null) {
    const count = countQuery(lower, sign + value);
    return { queries: count === null ? [] : [count], otherwise: null };
  }
  const isTime = dateNames.has(lower) || /^(?:since|until)$/.test(lower);
  if (isTime && /[<>≤≥]/.test(sign)) return date(sign + value);
  if (isOperatorName(lower)) return { queries: [`${lower}:${value}`], otherwise: null };
  return translations.get(lower)?.(value) ?? null;
}

type RangeBound = { value: string; isInclusive: boolean };
/** Bounds are as written, or null if open. */
export type Range = { low: RangeBound | null; high: RangeBound | null };

/** `>5`, `<=5`, `=5`, `[5 TO 9]`, `{5 TO *}`, `5..9`. */
export function readRange(text: string): Range | null {
  const [, comparison = "", value] = comparisonForm.exec(text) ?? [];
  if (value !== undefined) return comparisonRange(comparison, value);
  const [, opening, from, to, closing] = bracketForm.exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    return { low: parseBound(from, opening === "["), high: parseBound(to, closing === "]") };
  }
  const [, first, last] = dotForm.exec(text) ?? [];
  if (first === undefined || last === undefined) return null;
  return { low: parseBound(first, true), high: parseBound(last, true) };
}

function comparisonRange(comparison: string, value: string): Range {
  const end = { value, isInclusive: /[=≥≤]/.test(comparison) };
  if (/[>≥]/.test(comparison)) return { low: end, high: null };
  if (/[<≤]/.test(comparison)) return { low: null, high: end };
  return { low: end, high: end };
}

export function countRangeQuery(operator: string, { low, high }: Range): string | null {
  const min = low === null ? null : parseAbbreviatedCount(low.value);
  const max = high === null ? null : parseAbbreviatedCount(high.value);
  if ((low !== null && min === null) || (high !== null && max === null)) return null;
  const bounds: string[] = [];
  if (low !== null && min !== null) {
    bounds.push(`${operator}:${low.isInclusive ? min : min + 1}`);
  }
  if (high !== null && max !== null) {
    bounds.push(`-${operator}:${high.isInclusive ? max + 1 : max}`);
  }
  return bounds.length === 0 ? null : bounds.join(" ");
}

export function dateRangeQuery({ low, high }: Range): string {
  const bounds = [low && `since:${low.value}`, high && `until:${high.value}`];
  return bounds.filter((bound) => bound !== null).join(" ");
}

/** Accepts thousands separators and a `k` or `m` suffix (`1.5k`); null if not a count. */
export function parseAbbreviatedCount(text: string): number | null {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (/^\d{1,3}(?:[,_.]\d{3})+$/.test(text)) return Number(text.replace(/[,_.]/g, ""));
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([km])$/i.exec(text);
  if (match === null) return null;
  return Math.round(Number(match[1]) * (match[2]?.toLowerCase() === "k" ? 1_000 : 1_000_000));
}

const metricNames: Readonly<Record<CountMetric, string>> = {
  likes:
    "like likes fave faves fav favs favorite favorites favourites like_count likes_count favorite_count favourite_count",
  reposts:
    "retweet retweets rt rts repost reposts share shares boosts reblogs retweet_count repost_count",
  replies: "replies comments reply_count replies_count comment_count",
  quotes: "quotes quote_count quotes_count",
};

const metricOperators = new Map(
  (Object.entries(metricNames) as [CountMetric, string][]).flatMap(([metric, names]) =>
    names.split(" ").map((name) => [name, countOperators[metric]] as const),
  ),
);

/** In another product's terms, such as `max_likes`. */
function parseCountName(name: string): { operator: string; bound: "min" | "max" | "" } | null {
  const [, bound = "", metricName = ""] = /^(min|max)?_?(.+)$/.exec(name) ?? [];
  const operator = metricOperators.get(metricName);
  if (operator === undefined) return null;
  return { operator, bound: bound === "min" || bound === "max" ? bound : "" };
}

function countQuery(name: string, value: string): string | null {
  const count = parseCountName(name);
  if (count === null) return null;
  const range = readRange(value);
  const end = { value: value.replace(/^=+|\+$/g, ""), isInclusive: true };
  const isExact = /^=/.test(value) && count.bound === "";
  if (range !== null && (isExact || !/^=/.test(value))) {
    return countRangeQuery(count.operator, range);
  }
  const oneSidedRange = count.bound === "max" ? { low: null, high: end } : { low: end, high: null };
  return countRangeQuery(count.operator, oneSidedRange);
}
