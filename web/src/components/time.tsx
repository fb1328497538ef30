import { useEffect, useState } from "preact/compat";
import { once } from "../../../src/lib/once.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const minutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const dayAndMonth = { day: "numeric", month: "short" } as const;

const year = { year: "numeric" } as const;
const exactFormat = format({ ...dayAndMonth, ...year, ...minutes, second: "2-digit" });
const timeOfDay = format(minutes);
const day = format(dayAndMonth);
const dayAndTime = format({ ...dayAndMonth, ...minutes });
const dayOfYear = format({ ...dayAndMonth, ...year });
const yearAndTime = format({ ...dayAndMonth, ...year, ...minutes });

/** Formats in the local zone. Created on first use, because creation takes milliseconds. */
function format(options: Intl.DateTimeFormatOptions): (time: Date | number) => string {
  const getFormat = once(() => new Intl.DateTimeFormat(undefined, options));
  return (at) => getFormat().format(at);
}

/** To the second, in the local zone. */
export function exactTime(iso: string): string {
  return exactFormat(new Date(iso));
}

/** To the minute, in the local zone; with the day unless today, and the year unless this one. */
export function shortTime(iso: string, nowMs = Date.now()): string {
  const date = new Date(iso);
  const now = new Date(nowMs);
  if (date.toDateString() === now.toDateString()) return timeOfDay(date);
  return (date.getFullYear() === now.getFullYear() ? dayAndTime : yearAndTime)(date);
}

export function timesText(fromMs: number, toMs: number, nowMs = Date.now()): string {
  const [from, to] = [fromMs, toMs].map((ms) => shortTime(new Date(ms).toISOString(), nowMs));
  return `${from} to ${to}`;
}

/** In the local zone, with the year unless it is this one. */
export function shortDay(ms: number, nowMs = Date.now()): string {
  const isThisYear = new Date(ms).getFullYear() === new Date(nowMs).getFullYear();
  return (isThisYear ? day : dayOfYear)(ms);
}

/** Such as "UTC+5:30". */
export function zoneName(date: Pick<Date, "getTimezoneOffset">): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const minutePart = Math.abs(minutes % 60);
  const hours = Math.floor(Math.abs(minutes) / 60);
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${minutePart === 0 ? "" : `:${`${minutePart}`.padStart(2, "0")}`}`;
}

/** In the largest unit, such as "3 min". */
export function coarseDuration(ms: number): string {
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
  return ms < 0 ? `${coarseDuration(ms)} ago` : `in ${coarseDuration(ms)}`;
}

export function useNow(intervalMs = 30_000): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
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
