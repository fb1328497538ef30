import { hintForDate } from "./hint-for-date.ts";
import { type Operand, operandError, truncate } from "./operand.ts";

const expectedForms = ["yyyy-mm-dd", "yyyy-mm-dd_hh:mm:ss_UTC", "yyyy-mm-ddThh:mm:ssZ"];

/** Minutes east of UTC. An ambiguous abbreviation has its most common meaning. */
const zones: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  WET: 0,
  WEST: 60,
  BST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  MSK: 180,
  IST: 330,
  JST: 540,
  KST: 540,
  AWST: 480,
  ACST: 570,
  AEST: 600,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
  AST: -240,
  ADT: -180,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  AKST: -540,
  AKDT: -480,
  HST: -600,
};

const dateForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[_T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:_?([A-Z]{1,5})|([+-])(\d{2}):?(\d{2}))?)?$/;

/**
 * A date means the start of the day in UTC; a time requires a zone. A leap second becomes the next
 * minute.
 */
export function readDate(operator: string, text: string): Operand<number> {
  const match = dateForm.exec(text.toUpperCase());
  if (match === null) return notADate(operator, text);
  const [, year, month, day, hour, minute, second, fraction, zone, sign, zoneHour, zoneMinute] =
    match;
  const reason = impossibleDay(Number(year), Number(month), Number(day));
  if (reason !== null) {
    return operandError(
      "invalid_date",
      `${operator}:${truncate(text)} is not a date: ${reason}`,
      expectedForms,
      hintForDate(operator, text),
    );
  }
  const isLeapSecond = second === "60" && minute === "59";
  if (
    Number(hour ?? 0) > 23 ||
    Number(minute ?? 0) > 59 ||
    (Number(second ?? 0) > 59 && !isLeapSecond)
  ) {
    return operandError(
      "invalid_date",
      `${operator}:${truncate(text)} is not a time of day`,
      expectedForms,
      "use hours from 00 to 23, minutes and seconds from 00 to 59",
    );
  }
  const offset = zoneOffset(zone, sign, zoneHour, zoneMinute);
  if (hour !== undefined && offset === undefined) {
    const zoneText = zone ?? (sign === undefined ? undefined : `${sign}${zoneHour}:${zoneMinute}`);
    return zoneError(operator, text, zoneText);
  }
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0));
  const milliseconds = Number((fraction ?? "0").padEnd(3, "0").slice(0, 3));
  const ms = date.getTime() + milliseconds - (offset ?? 0) * 60_000;
  if (ms < earliestMs || ms > lastDateMs) {
    return operandError(
      "invalid_date",
      `${operator}:${truncate(text)} is outside the years 0001 to 9999`,
      expectedForms,
    );
  }
  return { value: ms };
}

function zoneError(operator: string, text: string, zone: string | undefined): Operand<number> {
  if (zone === undefined) {
    return operandError(
      "invalid_date",
      `${operator}:${truncate(text)} has a time without a zone`,
      expectedForms,
      `add a zone: ${operator}:${truncate(text)}_UTC`,
    );
  }
  return operandError(
    "invalid_date",
    `${operator}: unknown time zone ${truncate(zone)}`,
    expectedForms,
    "use UTC or an offset, as in 2024-01-02T03:04:05+02:00",
  );
}

const earliestMs = Date.parse("0001-01-01T00:00:00Z");
export const lastDateMs = Date.parse("9999-12-31T23:59:59.999Z");

function zoneOffset(
  zone: string | undefined,
  sign: string | undefined,
  hour: string | undefined,
  minute: string | undefined,
): number | undefined {
  if (zone !== undefined) return Object.hasOwn(zones, zone) ? zones[zone] : undefined;
  if (sign === undefined) return undefined;
  const minutes = Number(hour) * 60 + Number(minute);
  return minutes > 14 * 60 || Number(minute) > 59 ? undefined : minutes * (sign === "-" ? -1 : 1);
}

function impossibleDay(year: number, month: number, day: number): string | null {
  if (month < 1 || month > 12) return "months are 01 to 12";
  const lastDay = new Date(0);
  lastDay.setUTCFullYear(year, month, 0);
  if (day >= 1 && day <= lastDay.getUTCDate()) return null;
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")} has ${lastDay.getUTCDate()} days`;
}

function notADate(operator: string, text: string): Operand<number> {
  return operandError(
    "invalid_date",
    `${operator}: must be a date as yyyy-mm-dd, not ${truncate(text)}`,
    expectedForms,
    hintForDate(operator, text),
  );
}
