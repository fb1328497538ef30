import { coarseDuration, shortTime } from "../../components/time.tsx";
import { roundStepMs } from "../../components/time-steps.ts";
import { wholeNumber } from "../../numbers.ts";
import type { CountsAnswer, Coverage, PostRecord, SearchAnswer } from "./answer.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export type CountsWindow = {
  fromMs: number;
  toMs: number;
  granularity: "minute" | "hour" | "day";
};

export type Bar = { fromMs: number; toMs: number; count: number };

const defaultDays = 7;
const maxBars = 48;

/** If unbounded, starts at the first archived time or the oldest result. */
export function countsWindow(
  { from, to, platforms }: Coverage,
  results: readonly PostRecord[] = [],
): CountsWindow {
  const toMs = Date.parse(to);
  const coverageStarts = platforms.flatMap(({ collection, held }) =>
    collection === "posts" ? held.map((span) => span.from) : [],
  );
  const knownTimes = [
    ...coverageStarts.flatMap((time) => (time === null ? [] : [Date.parse(time)])),
    ...results.map(({ Metadata }) => Date.parse(Metadata?.created_at ?? "")),
  ].filter((ms) => !Number.isNaN(ms));
  const earliestMs = knownTimes.length === 0 ? toMs - defaultDays * dayMs : Math.min(...knownTimes);
  const fromMs = from === null ? earliestMs : Date.parse(from);
  const lengthMs = toMs - fromMs;
  const granularity = lengthMs <= 6 * hourMs ? "minute" : lengthMs <= 14 * dayMs ? "hour" : "day";
  return { fromMs, toMs, granularity };
}

export function makeBars(
  { data }: CountsAnswer,
  window: CountsWindow,
): { bars: Bar[]; stepMs: number } {
  const stepMs = roundStepMs(window.toMs - window.fromMs, maxBars);
  const bars = new Map<number, Bar>();
  for (const { start, end, tweet_count: count } of data) {
    const fromMs = Date.parse(start);
    const toMs = Date.parse(end);
    const key = Math.floor(fromMs / stepMs);
    const bar = bars.get(key);
    if (bar === undefined) bars.set(key, { fromMs, toMs, count });
    else bars.set(key, { ...bar, toMs, count: bar.count + count });
  }
  return { bars: [...bars.values()], stepMs };
}

/**
 * Counts an answer that contains every match, which saves a search; null if posts may follow or
 * lack a time.
 */
export function localCounts(
  { results, next_cursor, warnings, coverage }: SearchAnswer,
  window: CountsWindow,
): CountsAnswer | null {
  const isTruncated = warnings.some(({ code }) => code === "deadline_reached");
  if (next_cursor !== null || isTruncated) return null;
  const times = results.map(({ Metadata }) => Date.parse(Metadata?.created_at ?? ""));
  if (times.some((time) => !(time >= window.fromMs && time < window.toMs))) return null;
  const bucketMs = bucketsMs[window.granularity];
  const data: { start: string; end: string; tweet_count: number }[] = [];
  for (let startMs = window.fromMs; startMs < window.toMs; ) {
    const endMs = Math.min(window.toMs, (Math.floor(startMs / bucketMs) + 1) * bucketMs);
    const count = times.filter((time) => time >= startMs && time < endMs).length;
    data.push({ start: iso(startMs), end: iso(endMs), tweet_count: count });
    startMs = endMs;
  }
  return { data, meta: { total_tweet_count: times.length }, complete: coverage.complete, coverage };
}

const bucketsMs = { minute: minuteMs, hour: hourMs, day: dayMs } as const;

/** "every 4 hours" */
export function stepText(stepMs: number): string {
  const [unit, ms] =
    stepMs < hourMs ? ["minute", minuteMs] : stepMs < dayMs ? ["hour", hourMs] : ["day", dayMs];
  const times = stepMs / Number(ms);
  return times === 1 ? `every ${unit}` : `every ${times} ${unit}s`;
}

/** Clipped to the window; `isBefore` if at its start. */
export type CountsGap = { fromMs: number; toMs: number; isBefore: boolean };

export function plotGapsIn({ gaps }: Coverage, { fromMs, toMs }: CountsWindow): CountsGap[] {
  return gaps.flatMap(({ from, to }) => {
    const start = from === null ? fromMs : Math.max(fromMs, Date.parse(from));
    const end = Math.min(toMs, Date.parse(to));
    return start < end ? [{ fromMs: start, toMs: end, isBefore: start === fromMs }] : [];
  });
}

/** The text alternative for the plot. */
export function countsSummary(
  bars: readonly Bar[],
  stepMs: number,
  gaps: readonly CountsGap[],
): string {
  const first = bars[0];
  const last = bars.at(-1);
  if (first === undefined || last === undefined) return "No counts.";
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const highestBar = bars.reduce((max, bar) => (bar.count > max.count ? bar : max), first);
  const range = `from ${shortTime(iso(first.fromMs))} to ${shortTime(iso(last.toMs))}`;
  const sentences = [
    `Matching posts ${stepText(stepMs)} ${range}, ${wholeNumber(total)} in total.`,
  ];
  if (highestBar.count > 0) {
    sentences.push(
      `Highest count: ${wholeNumber(highestBar.count)}, from ${shortTime(iso(highestBar.fromMs))}.`,
    );
  }
  for (const gap of gaps.slice(0, 3)) {
    sentences.push(
      `${coarseDuration(gap.toMs - gap.fromMs)} missing from ${shortTime(iso(gap.fromMs))}.`,
    );
  }
  if (gaps.length > 3) sentences.push(`${gaps.length - 3} more gaps.`);
  return sentences.join(" ");
}

const iso = (ms: number): string => new Date(ms).toISOString();
