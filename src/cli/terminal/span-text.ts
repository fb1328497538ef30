import { isoTime } from "../../lib/iso-time.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Truncates times to minutes, or to seconds if the span is short. Open spans end with `now`. */
export function spanText(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  isOpen: boolean,
  dash: string,
): string {
  const formatTime = toMs - fromMs < 10 * minuteMs ? secondText : minuteText;
  const from = formatTime(fromMs);
  if (isOpen) return `${from} ${dash} now`;
  const to = formatTime(toMs);
  return `${from} ${dash} ${to.startsWith(from.slice(0, 10)) ? to.slice(11) : to}`;
}

/** The two largest units: `1 h 15 min`. */
export function lengthText(ms: number): string {
  if (ms < minuteMs) return `${Math.ceil(ms / 1_000)} s`;
  if (ms < hourMs) return twoUnits(ms, minuteMs, "min", 1_000, "s");
  if (ms < 2 * dayMs) return twoUnits(ms, hourMs, "h", minuteMs, "min");
  return twoUnits(ms, dayMs, "d", hourMs, "h");
}

function twoUnits(
  ms: number,
  largeMs: number,
  largeUnit: string,
  smallMs: number,
  smallUnit: string,
): string {
  const largeCount = Math.floor(ms / largeMs);
  const smallCount = Math.floor((ms % largeMs) / smallMs);
  return smallCount === 0
    ? `${largeCount} ${largeUnit}`
    : `${largeCount} ${largeUnit} ${smallCount} ${smallUnit}`;
}

/** `2026-01-31 12:00`, UTC. */
export const minuteText = (ms: number): string => secondText(ms).slice(0, 16);

const secondText = (ms: number): string => isoTime(ms).slice(0, 19).replace("T", " ");
