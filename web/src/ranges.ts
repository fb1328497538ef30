import type { UsageRange } from "../../src/http/dashboard/contract/usage.ts";
import { once } from "../../src/lib/once.ts";
import { shortDay, shortTime } from "./components/time.tsx";
import { endText } from "./coverage-text.ts";

export const ranges = [
  { value: "24h", label: "24 hours" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
] as const satisfies readonly { value: UsageRange; label: string }[];

export function parseRange(text: string | null, defaultRange: UsageRange): UsageRange {
  return ranges.find(({ value }) => value === text)?.value ?? defaultRange;
}

export const rangeLabel = (range: UsageRange): string =>
  ranges.find(({ value }) => value === range)?.label ?? range;

const steps = {
  "24h": { ms: 4 * 3_600_000, each: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } },
  "7d": { ms: 86_400_000, each: { day: "numeric" } },
  "30d": { ms: 5 * 86_400_000, each: { day: "numeric" } },
} as const satisfies Record<UsageRange, { ms: number; each: Intl.DateTimeFormatOptions }>;

const dayAndMonth = once(
  () => new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }),
);

/** Evenly spaced labels, with the month at the start and where it changes. */
export function axisLabels(range: UsageRange, fromMs: number, toMs: number): string[] {
  const { ms: stepMs, each } = steps[range];
  const format = new Intl.DateTimeFormat(undefined, each);
  const labels: string[] = [];
  let month = -1;
  for (let atMs = fromMs; atMs < toMs - stepMs / 2; atMs += stepMs) {
    const date = new Date(atMs);
    const spansDays = range !== "24h";
    const isNewMonth = date.getMonth() !== month;
    month = date.getMonth();
    labels.push((spansDays && isNewMonth ? dayAndMonth() : format).format(date));
  }
  return [...labels, "now"];
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const maxParts = 4;

/** At most five: days, or minutes if the span is shorter than two days. */
export function evenlySpacedLabels(fromMs: number, toMs: number): string[] {
  const nowMs = Date.now();
  const spansDays = toMs - fromMs >= 2 * dayMs;
  const text = (ms: number) =>
    spansDays ? shortDay(ms, nowMs) : shortTime(new Date(ms).toISOString(), nowMs);
  const parts = Math.max(1, Math.min(maxParts, Math.floor((toMs - fromMs) / minuteMs)));
  const times = Array.from({ length: parts }, (_, index) =>
    text(fromMs + ((toMs - fromMs) * index) / parts),
  );
  const end = endText(new Date(toMs).toISOString(), nowMs);
  return [...times, end === "now" ? end : text(toMs)];
}
