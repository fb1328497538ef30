import { useEffect, useState } from "react";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const dateAndTime = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "medium",
});
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** Date and time in the local zone. */
export function exactTime(iso: string): string {
  return dateAndTime.format(new Date(iso));
}

/** Day and minute in the local zone. */
export function shortTime(iso: string): string {
  return dayAndTime.format(new Date(iso));
}

/** In the largest unit, such as "3 min". */
export function lengthOf(ms: number): string {
  const length = Math.abs(ms);
  if (length < 1_000) return `${Math.round(length)} ms`;
  if (length < minuteMs) return `${Math.round(length / 1_000)} s`;
  if (length < hourMs) return `${Math.round(length / minuteMs)} min`;
  if (length < 2 * dayMs) return `${Math.round(length / hourMs)} h`;
  return `${Math.round(length / dayMs)} days`;
}

/** "3 min ago", "in 9 days", "now". */
export function fromNow(iso: string, nowMs: number): string {
  const ms = Date.parse(iso) - nowMs;
  if (Math.abs(ms) < 5_000) return "now";
  return ms < 0 ? `${lengthOf(ms)} ago` : `in ${lengthOf(ms)}`;
}

/** The current time, updated every `everyMs`. */
export function useNow(everyMs = 30_000): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}

export function Ago({ at }: { at: string }) {
  const nowMs = useNow();
  return (
    <time className="nowrap" dateTime={at} title={exactTime(at)}>
      {fromNow(at, nowMs)}
    </time>
  );
}
