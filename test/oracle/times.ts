const zones: Record<string, number> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  WET: 0,
  WEST: 1,
  BST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  IST: 5.5,
  SGT: 8,
  HKT: 8,
  JST: 9,
  KST: 9,
  AEST: 10,
  AEDT: 11,
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
};

const unitsMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns Unix milliseconds. @throws Error if the time is invalid. */
export function parseTime(value: string): number {
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return Date.parse(`${value}T00:00:00Z`);
  const match = /^(\d{4}-\d\d-\d\d)_(\d\d:\d\d:\d\d)_([a-z]+)$/i.exec(value);
  if (match) {
    const hours = zones[(match[3] ?? "").toUpperCase()];
    if (hours === undefined) throw new Error(`unknown time zone: ${match[3]}`);
    return Date.parse(`${match[1]}T${match[2]}Z`) - hours * 3_600_000;
  }
  if (/T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(value)) return Date.parse(value);
  throw new Error(`not a time: ${value}`);
}

/** Returns milliseconds. @throws Error if the duration is invalid. */
export function parseDuration(value: string): number {
  const [, count, unit] = /^(\d+)(ms|[dhms])$/i.exec(value) ?? [];
  const unitMs = unitsMs[(unit ?? "").toLowerCase()];
  if (count === undefined || unitMs === undefined) throw new Error(`not a duration: ${value}`);
  return Number(count) * unitMs;
}
