import { InvalidArgumentError } from "commander";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import { type Method, methodNames } from "../platforms/methods.ts";
import { parseIsoTime } from "../platforms/time.ts";

/** The bounds are inclusive. Commander adds the option's name to this and the errors below. */
export function parseWholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number ${bounds}.`);
  };
}

/** The bounds are inclusive. */
export function durationUpTo(minMs: number, maxMs: number): (text: string) => number {
  const expectation = `It must be a duration from ${formatDuration(minMs)} to ${formatDuration(maxMs)}, such as 90m, 24h or 7d.`;
  return (text) => {
    try {
      const ms = parseDuration(text);
      if (ms >= minMs && ms <= maxMs) return ms;
    } catch {
      // Reported below, like a value out of bounds.
    }
    throw new InvalidArgumentError(expectation);
  };
}

export function methodList(text: string): readonly Method[] {
  const names = text.split(",").map((name) => name.trim());
  const unknownName = names.find((name) => !methodNames.some((method) => method === name));
  if (unknownName === undefined) return methodNames.filter((method) => names.includes(method));
  throw new InvalidArgumentError(
    `Unknown method ${JSON.stringify(unknownName)}. Use ${methodNames.join(", ")}.`,
  );
}

/** A date means the start of its day in UTC. */
export function parseTimeOption(text: string): number {
  const ms = parseIsoTime(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError("It must be yyyy-mm-dd or a time such as 2026-01-31T12:00:00Z.");
}

/** FROM is inclusive, TO is exclusive. */
export function timeSpan(text: string): { fromMs: number; toMs: number } {
  const [from = "", to = "", ...more] = text.split("..");
  const fromMs = parseIsoTime(from);
  const toMs = parseIsoTime(to);
  if (fromMs === null || toMs === null || more.length > 0) {
    throw new InvalidArgumentError(
      "It must be FROM..TO, each yyyy-mm-dd or a time such as 2026-01-31T12:00:00Z.",
    );
  }
  if (fromMs >= toMs) throw new InvalidArgumentError("FROM must be before TO.");
  return { fromMs, toMs };
}

export function replaySpan(text: string): "gaps" | { fromMs: number; toMs: number } {
  return text === "gaps" ? text : timeSpan(text);
}
