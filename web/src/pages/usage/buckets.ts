import type { UsageRange, UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import { durationText, wholeNumber } from "../../numbers.ts";
import type { ShownUsage } from "./selection.ts";

export type RequestStacks = {
  /** Bucket midpoints, in Unix seconds. */
  times: number[];
  /** All requests, those that did not fail, and those that succeeded; drawn over each other. */
  stacks: [number[], number[], number[]];
};

export function requestStacks({ buckets, bucket_ms: widthMs }: UsageResponse): RequestStacks {
  return {
    times: bucketMidpoints(buckets, widthMs),
    stacks: [
      buckets.map(({ requests }) => requests),
      buckets.map(({ requests, failed }) => requests - failed),
      buckets.map(({ requests, failed, refused }) => requests - failed - refused),
    ],
  };
}

export type ResponseTimes = {
  times: number[];
  /** p50 and p99 in milliseconds; null without searches. */
  lines: [(number | null)[], (number | null)[]];
  /** Whether outliers require a logarithmic scale. */
  needsLogScale: boolean;
};

const logScaleFactor = 25;

export function responseTimes({ buckets, bucket_ms: widthMs }: UsageResponse): ResponseTimes {
  const p50 = buckets.map(({ p50_ms: ms }) => ms);
  const p99 = buckets.map(({ p99_ms: ms }) => ms);
  const sortedP50 = p50.filter((ms) => ms !== null).sort((a, b) => a - b);
  const median = sortedP50[Math.floor(sortedP50.length / 2)] ?? 0;
  const needsLogScale =
    Math.max(0, ...p99.map((ms) => ms ?? 0)) > logScaleFactor * Math.max(1, median);
  return {
    times: bucketMidpoints(buckets, widthMs),
    lines: [atLeastOne(p50), atLeastOne(p99)],
    needsLogScale,
  };
}

/** A logarithmic scale has no zero. */
const atLeastOne = (values: readonly (number | null)[]): (number | null)[] =>
  values.map((ms) => (ms === null ? null : Math.max(1, ms)));

export function requestsLabel({ span, buckets }: ShownUsage): string {
  const max = Math.max(0, ...buckets.map(({ requests }) => requests));
  const [requests, refused, failed] = (["requests", "refused", "failed"] as const).map((name) =>
    buckets.reduce((total, bucket) => total + bucket[name], 0),
  ) as [number, number, number];
  return (
    `Requests over ${span}: ${wholeNumber(requests)} in total, at most ${wholeNumber(max)} in one bar, ` +
    `${wholeNumber(refused)} refused, ${wholeNumber(failed)} failed`
  );
}

export function responseTimesLabel({ span, isSelection, totals, buckets }: ShownUsage): string {
  const max = Math.max(0, ...buckets.map(({ p99_ms: ms }) => ms ?? 0));
  const { p50_ms: p50, p99_ms: p99 } = totals;
  if (p50 === null || p99 === null) return `Response time over ${span}: no searches`;
  // Percentiles of several buckets cannot be combined.
  const percentiles = isSelection ? "" : `p50 ${durationText(p50)}, p99 ${durationText(p99)}, `;
  return `Response time over ${span}: ${percentiles}at most ${durationText(max)} in one bucket`;
}

const formats = {
  time: new Intl.DateTimeFormat(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }),
  day: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }),
  dayAndTime: new Intl.DateTimeFormat(undefined, {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }),
};

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** Allowed label steps: hours for a day, otherwise days. */
export function tickSeconds(range: UsageRange): readonly number[] {
  return range === "24h"
    ? [2, 3, 4, 6, 8, 12].map((hours) => hours * hourSeconds)
    : [1, 2, 3, 5, 7, 10, 15].map((days) => days * daySeconds);
}

/** Hours with the day at midnight, or days with the month when it changes. */
export function axisTexts(range: UsageRange, times: readonly number[]): string[] {
  let month = -1;
  return times.map((ms) => {
    const date = new Date(ms);
    if (range === "24h") return (date.getHours() === 0 ? formats.day : formats.time).format(date);
    const isSame = date.getMonth() === month;
    month = date.getMonth();
    return isSame ? String(date.getDate()) : formats.day.format(date);
  });
}

export function bucketText({ start }: { start: string }, widthMs: number): string {
  const fromMs = Date.parse(start);
  return `${formats.dayAndTime.format(fromMs)} to ${formats.time.format(fromMs + widthMs)}`;
}

const bucketMidpoints = (buckets: readonly { start: string }[], widthMs: number): number[] =>
  buckets.map(({ start }) => (Date.parse(start) + widthMs / 2) / 1_000);
