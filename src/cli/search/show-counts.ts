import { coverageBody } from "../../http/answers/status-body.ts";
import { stripControls } from "../../lib/controls.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { SourceCounts } from "../../search/archive/count.ts";
import { type PlotBucket, plotCounts } from "../terminal/counts-plot.ts";
import { showsUnicode } from "../terminal/draw-coverage.ts";
import { lengthText, minuteText } from "../terminal/span-text.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";

/** `buckets` includes empty ones and is sorted oldest first. */
export type ShownCounts = Omit<SourceCounts, "buckets"> & {
  query: string;
  bucketName: string;
  bucketMs: number;
  fromMs: number;
  toMs: number;
  buckets: readonly PlotBucket[];
};

export function showCounts(
  shown: ShownCounts,
  { json, csv }: { json?: boolean; csv?: boolean },
  terminal: Terminal,
): void {
  if (json) {
    terminal.out(`${asJson(shown)}\n`);
    return;
  }
  if (csv) {
    terminal.out("start,end,tweet_count,complete\n");
    printEach(shown, terminal, (bucket) =>
      [isoTime(bucket.fromMs), isoTime(bucket.toMs), bucket.count, bucket.complete].join(","),
    );
    return;
  }
  if (terminal.interactive) plot(shown, terminal);
  else {
    printEach(
      shown,
      terminal,
      ({ fromMs, count, complete }) =>
        `${isoTime(fromMs)}  ${complete ? count : count === 0 ? "?" : `${count}?`}`,
    );
  }
  terminal.note(`${formatSummary(shown)}\n`);
}

export function fillBuckets(
  { buckets, coverage }: SourceCounts,
  fromMs: number,
  toMs: number,
  bucketMs: number,
): PlotBucket[] {
  const counts = new Map(buckets.map((bucket) => [bucket.fromMs, bucket.count]));
  const filledBuckets: PlotBucket[] = [];
  let gapIndex = 0;
  for (let startMs = fromMs; startMs < toMs; ) {
    const endMs = Math.min((Math.floor(startMs / bucketMs) + 1) * bucketMs, toMs);
    while ((coverage.gaps[gapIndex]?.toMs ?? Number.POSITIVE_INFINITY) <= startMs) gapIndex += 1;
    const nextGap = coverage.gaps[gapIndex];
    const complete = nextGap === undefined || (nextGap.fromMs ?? startMs) >= endMs;
    filledBuckets.push({ fromMs: startMs, toMs: endMs, count: counts.get(startMs) ?? 0, complete });
    startMs = endMs;
  }
  return filledBuckets;
}

function plot(shown: ShownCounts, terminal: Terminal): void {
  const { bold, dim, accent } = painter(terminal);
  const { buckets, bucketMs } = shown;
  const { lines, lineMs } = plotCounts(buckets, bucketMs, {
    width: terminal.columns,
    // Leaves room for title, summary and prompt.
    height: Math.max(5, (terminal.rows ?? 24) - 4),
    unicode: showsUnicode(terminal),
    paint: { dim, accent },
  });
  if (lines.length === 0) return;
  const perLine = lineMs === bucketMs ? "" : `, ${lengthText(lineMs)} per line`;
  terminal.out(`${bold(stripControls(shown.query))} by ${shown.bucketName}${perLine} (UTC)\n`);
  terminal.out(`${lines.join("\n")}\n`);
}

function formatSummary({ buckets, coverage, bucketName }: ShownCounts): string {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const posts = total === 1 ? "1 post" : `${total.toLocaleString("en")} posts`;
  const firstBucket = buckets[0];
  const incompleteCount = buckets.filter(({ complete }) => !complete).length;
  if (firstBucket === undefined || total === 0) {
    return coverage.complete
      ? "0 posts. The archive covers this time completely."
      : "0 posts found. There may be some: the archive does not cover all of this time.";
  }
  const peakBucket = buckets.reduce(
    (top, bucket) => (bucket.count > top.count ? bucket : top),
    firstBucket,
  );
  const peak = `peak ${peakBucket.count.toLocaleString("en")} in the ${bucketName} from ${minuteText(peakBucket.fromMs)}`;
  const coverageText =
    incompleteCount === 0
      ? "The archive covers this time completely."
      : `Coverage is incomplete in ${incompleteCount.toLocaleString("en")} of ${buckets.length.toLocaleString("en")} ${bucketName}s (?): there may be more.`;
  return `${posts}; ${peak} (UTC). ${coverageText}`;
}

/** Prints in blocks, so that a pipe's reader can start early. */
function printEach(
  { buckets }: ShownCounts,
  terminal: Terminal,
  formatLine: (bucket: PlotBucket) => string,
): void {
  const linesPerBlock = 10_000;
  for (let start = 0; start < buckets.length; start += linesPerBlock) {
    const block = buckets.slice(start, start + linesPerBlock).map(formatLine);
    terminal.out(`${block.join("\n")}\n`);
  }
}

function asJson({ buckets, complete, coverage, warnings, query }: ShownCounts): string {
  return JSON.stringify({
    data: buckets.map(({ fromMs, toMs, count }) => ({
      start: isoTime(fromMs),
      end: isoTime(toMs),
      tweet_count: count,
    })),
    meta: { total_tweet_count: buckets.reduce((sum, { count }) => sum + count, 0) },
    complete,
    coverage: coverageBody(coverage),
    warnings,
    canonical_query: query,
  });
}
