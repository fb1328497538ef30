import type { Collection, PlatformCoverage } from "../archive/archive.ts";
import { gapsIn, intervalsIn, intervalsOf } from "../archive/catalog/coverage.ts";
import { drawTimelines, type TimelineRow } from "./draw-timelines.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./text-layout.ts";

/** `width` is in columns. */
export type CoverageLook = {
  width: number;
  nowMs: number;
  /** A live stream may lag this far and still be drawn up to the present. */
  slackMs: number;
  /** Default: the first interval. */
  fromMs?: number;
  unicode: boolean;
  /** Newest first; default 10. */
  listedGaps?: number;
};

const collections: readonly Collection[] = ["posts", "likes", "reposts", "labels"];

/**
 * A timeline per platform and collection, the newest gaps, and the number of individually fetched accounts. No line is wider than
 * `width` (at least 8).
 */
export function drawCoverage(held: readonly PlatformCoverage[], look: CoverageLook): string[] {
  const { nowMs, listedGaps = 10 } = look;
  const rows = held.flatMap((entry) =>
    collections.flatMap((collection) => rowOf(entry, collection, look)),
  );
  const drawn = drawTimelines(rows, {
    width: look.width,
    fromMs: look.fromMs ?? null,
    toMs: nowMs,
    nowMs,
    listedGaps,
    unicode: look.unicode,
  });
  const lines = [...held.flatMap(accountsOf)];
  if (rows.length === 0) lines.unshift("no time is known to be held completely");
  return [...drawn, ...lines.flatMap((line) => wrap(line, Math.max(look.width, 8)))];
}

/** A collection with imports only has no gap after the last one. */
function rowOf(
  { platform, intervals }: PlatformCoverage,
  collection: Collection,
  { nowMs, slackMs }: CoverageLook,
): TimelineRow[] {
  const own = intervalsOf(intervals, collection);
  if (own.length === 0) return [];
  const window = { fromMs: null, toMs: nowMs };
  const gaps = gapsIn(window, own, nowMs, slackMs);
  const isImported = own.every(({ source }) => source === "import");
  return [
    {
      name: `${platform} ${collection}`,
      held: intervalsIn(window, gaps),
      gaps: isImported ? gaps.filter(({ toMs }) => toMs < nowMs) : gaps,
    },
  ];
}

function accountsOf({ platform, intervals }: PlatformCoverage): string[] {
  const accounts = new Set(intervals.flatMap(({ account }) => (account === null ? [] : [account])));
  if (accounts.size === 0) return [];
  const [first] = accounts;
  const who =
    accounts.size === 1
      ? `of the account ${first}`
      : `of ${accounts.size.toLocaleString("en")} accounts`;
  return [`${platform}: also what was fetched ${who} by itself`];
}

export function showsUnicode({ environment }: Pick<Terminal, "environment">): boolean {
  if (environment.TERM === "dumb" || environment.TERM === "linux") return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return !locale || /utf-?8/i.test(locale);
}
