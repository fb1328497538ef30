import { EarshotError } from "./errors.ts";

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

const durationPattern = /^(\d{1,16}(?:\.\d{1,9})?)(ms|s|m|h|d)$/;

/** Converts a duration such as `1.5h` to milliseconds. Errors: `invalid_duration`. */
export function parseDuration(text: string): number {
  const match = durationPattern.exec(text);
  const unit = units.find(([name]) => name === match?.[2]);
  if (match === null || unit === undefined) throw invalidDuration(text);
  const ms = Number(match[1]) * unit[1];
  const wholeMs = Math.round(ms);
  if (Math.abs(ms - wholeMs) > 1e-6 || !Number.isSafeInteger(wholeMs)) throw invalidDuration(text);
  return wholeMs;
}

export function formatDuration(ms: number): string {
  const unit = units.find(([, length]) => ms >= length && ms % length === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}

function invalidDuration(text: string): EarshotError {
  return new EarshotError("invalid_duration", `${JSON.stringify(text)} is not a duration`, {
    status: 400,
    hint: "use a number and ms, s, m, h or d, such as 500ms, 120s or 7d",
  });
}
