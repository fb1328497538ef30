import type { Rewrites } from "../tree/diagnostics.ts";
import { dateRangeQuery, readRange } from "./suggestions.ts";

const maxSuggestionLength = 64;

export function hintForDate(operator: string, text: string): Rewrites {
  const otherwise = `write a date such as ${operator}:2024-01-31`;
  if (text.length > maxSuggestionLength) return { lead: "", queries: [], otherwise };
  const lowerCase = text.toLowerCase();
  const range = parseRange(lowerCase);
  const relative = relativeTime(operator, lowerCase);
  if (relative === null) {
    return { lead: "remove it:", queries: [], otherwise: "remove it: no post is from the future" };
  }
  const seconds = /^(\d{9,10})(?:\d{3})?$/.exec(lowerCase)?.[1];
  const queries = [
    ...(range === null ? [] : [range]),
    ...relative,
    ...(seconds === undefined ? [] : [`${operator}_time:${seconds}`]),
  ];
  const dates = suggestDates(operator, lowerCase).map((date) => `${operator}:${date}`);
  if (dates.length > 1) return { lead: "", queries: [], otherwise: `write ${dates.join(" or ")}` };
  return { lead: "write", queries: [...queries, ...dates], otherwise };
}

const dayPair = /^(\d{4}-\d{2}-\d{2})(?:-|\/|_|to)(\d{4}-\d{2}-\d{2})$/;

function parseRange(text: string): string | null {
  const [, first, last] = dayPair.exec(text) ?? [];
  const range = readRange(first === undefined ? text : `${first}..${last}`);
  return range === null ? null : dateRangeQuery(range);
}

const daysBack: Readonly<Record<string, string>> = {
  today: "1d",
  yesterday: "2d",
  "last week": "7d",
  "last month": "30d",
  "last year": "365d",
};

function relativeTime(operator: string, text: string): readonly string[] | null {
  if (/^(?:now|tomorrow)$/.test(text)) return operator === "until" ? null : ["within_time:1d"];
  const durationText = text.replace(/^(?:now)?-/, "").replace(/[\s_-]*ago$/, "");
  const [, digits, unit = ""] = /^(\d{1,5})[\s_-]?([a-z]{1,7})$/.exec(durationText) ?? [];
  const [multiplier, shortUnit] = Object.hasOwn(otherUnits, unit)
    ? (otherUnits[unit] ?? [])
    : [1, unit];
  const namedDuration = Object.hasOwn(daysBack, durationText.replace("_", " "))
    ? daysBack[durationText.replace("_", " ")]
    : undefined;
  if (digits === undefined && namedDuration === undefined) return [];
  const duration = namedDuration ?? `${Number(digits) * (multiplier ?? 1)}${shortUnit}`;
  if (operator !== "until") return [`within_time:${duration}`];
  return [`-within_time:${text === "yesterday" ? "1d" : duration}`];
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

function suggestDates(operator: string, text: string): readonly string[] {
  const [, year = "", month = "01", day = "01"] =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ??
    /^(\d{4})(\d{2})(\d{2})$/.exec(text) ??
    /^(\d{4})(?:[-/.](\d{1,2}))?$/.exec(text) ??
    [];
  if (year !== "") return plausibleDates(operator, year, month, day);
  const [, first = "", second = "", last = ""] =
    /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text) ?? [];
  if (last !== "") {
    const candidates = [isoDate(last, second, first), isoDate(last, first, second)];
    return [...new Set(candidates.filter((date) => date !== null))];
  }
  const [, name = "", yearOfMonth = ""] = /^([a-z]{3})[a-z]{0,6}[-/.\s]?(\d{4})$/.exec(text) ?? [];
  const date = isoDate(yearOfMonth, String(months.indexOf(name) + 1), "1");
  return date === null ? [] : [date];
}

/** Limits the day to the month; swaps day and month if the month is invalid. */
function plausibleDates(
  operator: string,
  year: string,
  month: string,
  day: string,
): readonly string[] {
  const date = isoDate(year, month, day) ?? isoDate(year, day, month);
  if (date !== null) return [date];
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  if (!isMonth || Number(day) < 29 || Number(day) > 31) return [];
  const end = new Date(0);
  end.setUTCFullYear(Number(year), Number(month), operator === "until" ? 1 : 0);
  return [end.toISOString().slice(0, 10)];
}

function isoDate(year: string, month: string, day: string): string | null {
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) ? date : null;
}

export const otherUnits: Readonly<Record<string, readonly [number, string]>> = {
  w: [7, "d"],
  week: [7, "d"],
  weeks: [7, "d"],
  day: [1, "d"],
  days: [1, "d"],
  hour: [1, "h"],
  hours: [1, "h"],
  hr: [1, "h"],
  hrs: [1, "h"],
  minute: [1, "m"],
  minutes: [1, "m"],
  min: [1, "m"],
  mins: [1, "m"],
  second: [1, "s"],
  seconds: [1, "s"],
  sec: [1, "s"],
  secs: [1, "s"],
  month: [30, "d"],
  months: [30, "d"],
  year: [365, "d"],
  years: [365, "d"],
};
