import { otherUnits } from "./hint-for-date.ts";
import { type Operand, operandError, truncate } from "./operand.ts";
import { lastDateMs } from "./read-date.ts";

export function readUnixTime(operator: string, text: string): Operand<number> {
  const digits = text.normalize("NFKC");
  const ms = /^\d{1,15}$/.test(digits) ? Number(digits) * 1000 : Number.NaN;
  if (ms <= lastDateMs) return { value: ms };
  return operandError(
    "invalid_time",
    `${operator}: must be a Unix time in seconds, not ${truncate(text)}`,
    ["seconds since 1970-01-01 in plain digits"],
    hintForUnixTime(operator, digits),
  );
}

function hintForUnixTime(operator: string, digits: string): string {
  // 13 digits are milliseconds, 16 microseconds, 19 nanoseconds.
  if (/^(?:\d{13}|\d{16}|\d{19})$/.test(digits))
    return `write ${operator}:${digits.slice(0, 10)}, in seconds`;
  if (/^\d{4}-\d{2}-\d{2}/.test(digits)) {
    return `write ${operator.replace("_time", "")}:${truncate(digits)} for a date`;
  }
  return `use a value such as ${operator}:1561720321`;
}

const units = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

export function readDuration(operator: string, text: string): Operand<number> {
  const duration = text.normalize("NFKC").toLowerCase();
  const [, digits = "", unit = ""] = /^(\d{1,16})([a-z]{1,2})$/.exec(duration) ?? [];
  const ms = Number(digits) * (units.get(unit) ?? Number.NaN);
  if (digits !== "" && Number.isSafeInteger(ms)) return { value: ms };
  return operandError(
    "invalid_duration",
    `${operator}: must be a number of days, hours, minutes or seconds, not ${truncate(text)}`,
    ["2d", "3h", "5m", "30s", "500ms"],
    hintForDuration(operator, duration),
  );
}

function hintForDuration(operator: string, text: string): string {
  const [, digits = "", fraction, unit = ""] =
    /^(\d{1,6})(?:[.,](\d{1,3}))?[\s_-]?([a-z]{0,7})$/.exec(text) ?? [];
  if (digits !== "" && unit === "" && fraction === undefined) {
    return `add a unit: ${operator}:${digits}d, ${operator}:${digits}h or ${operator}:${digits}m`;
  }
  const [multiplier, plainUnit] = Object.hasOwn(otherUnits, unit)
    ? (otherUnits[unit] ?? [])
    : [1, unit];
  const unitMs = units.get(plainUnit ?? "");
  if (digits === "" || multiplier === undefined || unitMs === undefined) {
    return `use a value such as ${operator}:36h`;
  }
  const ms = Math.round(Number(`${digits}.${fraction ?? 0}`) * multiplier * unitMs);
  return `write ${operator}:${exactDuration(ms, plainUnit ?? "")}`;
}

/** In the given unit if exact, else in the largest exact one. */
function exactDuration(ms: number, unit: string): string {
  const candidateUnits = [unit, "d", "h", "m", "s", "ms"];
  const exactUnit = candidateUnits.find((text) => ms % (units.get(text) ?? ms + 1) === 0) ?? "ms";
  return `${ms / (units.get(exactUnit) ?? 1)}${exactUnit}`;
}
