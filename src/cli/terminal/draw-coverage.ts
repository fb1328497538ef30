import type { Collection, PlatformCoverage } from "../../archive/archive.ts";
import { gapsIn, platformWideIntervals } from "../../archive/catalog/coverage.ts";
import { subtractSpans } from "../../lib/spans.ts";
import { drawTimelines, type TimelineRow } from "./draw-timelines.ts";
import type { Terminal } from "./terminal.ts";
import { wrap } from "./text-layout.ts";

/** `width` is in columns. */
export type CoverageOptions = {
  width: number;
  nowMs: number;
  /** A live stream may lag this far and still be drawn up to the present. */
  slackMs: number;
  fromMs?: number;
  unicode: boolean;
  listedGaps?: number;
};

const collections: readonly Collection[] = ["posts", "likes", "reposts", "labels"];

/** No line is wider than `width` (at least 8). */
export function drawCoverage(
  coverage: readonly PlatformCoverage[],
  options: CoverageOptions,
): string[] {
  const { nowMs, listedGaps = 10 } = options;
  const rows = coverage.flatMap((entry) =>
    collections.flatMap((collection) => getRow(entry, collection, options)),
  );
  const timelines = drawTimelines(rows, {
    width: options.width,
    fromMs: options.fromMs ?? null,
    toMs: nowMs,
    nowMs,
    listedGaps,
    unicode: options.unicode,
  });
  const lines = [...coverage.flatMap(listAccounts)];
  if (rows.length === 0) lines.unshift("no time is fully covered");
  return [...timelines, ...lines.flatMap((line) => wrap(line, Math.max(options.width, 8)))];
}

/** If all coverage was imported, the time since the last import is not a gap. */
function getRow(
  { platform, intervals }: PlatformCoverage,
  collection: Collection,
  { nowMs, slackMs }: CoverageOptions,
): TimelineRow[] {
  const collectionIntervals = platformWideIntervals(intervals, collection);
  if (collectionIntervals.length === 0) return [];
  const window = { fromMs: null, toMs: nowMs };
  const gaps = gapsIn(window, collectionIntervals, nowMs, slackMs);
  const isImported = collectionIntervals.every(({ source }) => source === "import");
  return [
    {
      name: `${platform} ${collection}`,
      covered: subtractSpans(window, gaps),
      gaps: isImported ? gaps.filter(({ toMs }) => toMs < nowMs) : gaps,
    },
  ];
}

function listAccounts({ platform, intervals }: PlatformCoverage): string[] {
  const accounts = new Set(intervals.flatMap(({ account }) => (account === null ? [] : [account])));
  if (accounts.size === 0) return [];
  const [firstAccount] = accounts;
  const origin =
    accounts.size === 1
      ? `from account ${firstAccount}`
      : `from ${accounts.size.toLocaleString("en")} accounts`;
  return [`${platform}: also posts fetched ${origin}`];
}

export function showsUnicode({ environment }: Pick<Terminal, "environment">): boolean {
  if (environment.TERM === "dumb" || environment.TERM === "linux") return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return !locale || /utf-?8/i.test(locale);
}
