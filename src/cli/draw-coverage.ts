import type { Collection, PlatformCoverage } from "../archive/archive.ts";
import { gapsIn, intervalsIn, intervalsOf } from "../archive/catalog/coverage.ts";
import { drawTimelines, type TimelineRow } from "./draw-timelines.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./text-layout.ts";

/** How the ledger is drawn. `width` is in columns, times are Unix milliseconds. */
export type CoverageLook = {
  width: number;
  nowMs: number;
  /** How far a live stream may be behind and still be drawn up to the present; no answer is called complete by it. */
  slackMs: number;
  /** Where the drawing begins; with the first interval, when it is left out. */
  fromMs?: number;
  unicode: boolean;
  /** How many gaps are listed, the newest; 10 when it is left out. */
  listedGaps?: number;
};

const collections: readonly Collection[] = ["posts", "likes", "reposts", "labels"];

/**
 * Draws the ledger as lines of text: of each platform and collection a timeline, the newest gaps, and how many accounts' posts
 * are held by themselves. No line is wider than `width`, from 8 columns on.
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

/** The row of a collection, from its first interval on. What only imports hold has no gap after the last of them. */
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

/** Whether a terminal shows more than ASCII, as far as its environment tells. */
export function showsUnicode({ environment }: Pick<Terminal, "environment">): boolean {
  if (environment.TERM === "dumb" || environment.TERM === "linux") return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return !locale || /utf-?8/i.test(locale);
}
