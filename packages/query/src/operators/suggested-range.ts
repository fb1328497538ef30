import { countOperators } from "../tree/print.ts";
import type { CountMetric } from "../tree/tree.ts";

type End = { value: string; isInclusive: boolean };
/** As written; null if open. */
export type Range = { low: End | null; high: End | null };

const sign = /^(>=|=>|≥|<=|=<|≤|>|<|==?)\s*([^\s<>=]+)$/;
const brackets = /^([[{])\s*(\S+)\s+TO\s+([^\s\]}]+)\s*([\]}])$/i;
const dots = /^([^\s.]+)\.\.([^\s.]+)$/;

/** `>5`, `<=5`, `=5`, `[5 TO 9]`, `{5 TO *}`, `5..9`. */
export function readRange(text: string): Range | null {
  const [, comparison = "", value] = sign.exec(text) ?? [];
  if (value !== undefined) return comparisonRange(comparison, value);
  const [, opening, from, to, closing] = brackets.exec(text) ?? [];
  if (from !== undefined && to !== undefined) {
    return { low: parseEnd(from, opening === "["), high: parseEnd(to, closing === "]") };
  }
  const [, first, last] = dots.exec(text) ?? [];
  if (first === undefined || last === undefined) return null;
  return { low: parseEnd(first, true), high: parseEnd(last, true) };
}

function comparisonRange(comparison: string, value: string): Range {
  const end = { value, isInclusive: /[=≥≤]/.test(comparison) };
  if (/[>≥]/.test(comparison)) return { low: end, high: null };
  if (/[<≤]/.test(comparison)) return { low: null, high: end };
  return { low: end, high: end };
}

const parseEnd = (value: string, isInclusive: boolean): End | null =>
  value === "*" ? null : { value, isInclusive };

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
  const scaled = /^(\d{1,6}(?:\.\d{1,3})?)([km])$/i.exec(text);
  if (scaled === null) return null;
  return Math.round(Number(scaled[1]) * (scaled[2]?.toLowerCase() === "k" ? 1_000 : 1_000_000));
}

const metricNames: Readonly<Record<CountMetric, string>> = {
  likes:
    "like likes fave faves fav favs favorite favorites favourites like_count likes_count favorite_count favourite_count",
  reposts:
    "retweet retweets rt rts repost reposts share shares boosts reblogs retweet_count repost_count",
  replies: "replies comments reply_count replies_count comment_count",
  quotes: "quotes quote_count quotes_count",
};

const metrics = new Map(
  (Object.entries(metricNames) as [CountMetric, string][]).flatMap(([metric, names]) =>
    names.split(" ").map((name) => [name, countOperators[metric]] as const),
  ),
);

/** By another product's name, such as `max_likes`. */
export function countNamed(name: string): { operator: string; bound: "min" | "max" | "" } | null {
  const [, bound = "", rest = ""] = /^(min|max)?_?(.+)$/.exec(name) ?? [];
  const operator = metrics.get(rest);
  if (operator === undefined) return null;
  return { operator, bound: bound === "min" || bound === "max" ? bound : "" };
}

export function countQuery(name: string, value: string): string | null {
  const count = countNamed(name);
  if (count === null) return null;
  const range = readRange(value);
  const end = { value: value.replace(/^=+|\+$/g, ""), isInclusive: true };
  const isExact = /^=/.test(value) && count.bound === "";
  if (range !== null && (isExact || !/^=/.test(value))) {
    return countRangeQuery(count.operator, range);
  }
  const oneSided = count.bound === "max" ? { low: null, high: end } : { low: end, high: null };
  return countRangeQuery(count.operator, oneSided);
}
