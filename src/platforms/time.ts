const isoPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?)?$/;

/** A time without an offset is UTC. Null if malformed or nonexistent. */
export function parseIsoTime(text: string): number | null {
  const parts = isoPattern.exec(text);
  if (parts === null) return null;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const [hour, minute, second] = [
    Number(parts[4] ?? 0),
    Number(parts[5] ?? 0),
    Number(parts[6] ?? 0),
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  // Leap seconds are numbered 60.
  if (hour > 23 || minute > 59 || second > 60) return null;
  const offset = offsetMinutes(parts[9], Number(parts[10] ?? 0), Number(parts[11] ?? 0));
  if (offset === null) return null;
  const fraction = parts[7] === undefined ? 0 : Math.floor(Number(`0.${parts[7]}`) * 1000);
  // Date.UTC reads years 0 to 99 as 1900 to 1999. Every 400 years have the same number of days.
  const shiftedMs = Date.UTC(year + 400, month - 1, day, hour, minute - offset, second, fraction);
  return shiftedMs - fourCenturiesMs;
}

const fourCenturiesMs = 146_097 * 86_400_000;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0);
}

function offsetMinutes(sign: string | undefined, hours: number, minutes: number): number | null {
  if (hours > 23 || minutes > 59) return null;
  const offset = hours * 60 + minutes;
  return sign === "-" ? -offset : offset;
}
