import type { Command } from "commander";
import type { ArchiveStats, SealedStats, SegmentStats } from "../../archive/archive.ts";
import { gapsIn, platformWideIntervals } from "../../archive/catalog/coverage.ts";
import { systemClock } from "../../lib/clock.ts";
import { isoText } from "../../lib/iso-time.ts";
import { type Span, subtractSpans } from "../../lib/spans.ts";
import type { Platform } from "../../posts/post.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { drawCoverage, showsUnicode } from "../terminal/draw-coverage.ts";
import { bytesText, numberText } from "../terminal/quantities.ts";
import { minuteText } from "../terminal/span-text.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { withArchive } from "./with-archive.ts";

export function addStats(archive: Command, terminal: Terminal): void {
  archive
    .command("stats")
    .summary("show posts, size and coverage")
    .description("Shows the posts, size, and coverage with gaps of each platform.")
    .option("--json", "print JSON with every segment and interval")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot archive stats\n" +
        "  earshot archive stats --json | jq '.platforms[] | {platform, posts, bytes_per_post}'",
    )
    .action((options: { json?: boolean }) => stats(options, terminal));
}

async function stats(options: { json?: boolean }, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const archiveStats = await withArchive(config, (archive) => archive.stats());
  const time = { nowMs: systemClock.now(), slackMs: config.ingest.coverageSlackMs };
  if (options.json) terminal.out(`${JSON.stringify(asJson(archiveStats, time))}\n`);
  else for (const line of asText(archiveStats, time, terminal)) terminal.out(`${line}\n`);
}

type CoverageTime = { nowMs: number; slackMs: number };

type PlatformTotals = {
  platform: Platform;
  segments: number;
  posts: number;
  importedPosts: number;
  hiddenPosts: number;
  bytes: number;
  fromMs: number | null;
  toMs: number | null;
  outdatedSegments: number;
  optimisedSegments: number;
  sealed: SealedTotals;
};

type SealedTotals = {
  segments: number;
  damagedSegments: number;
  /** Posts in the sealed indexes; `deltaPosts` counts those written since. */
  posts: number;
  deltaPosts: number;
  bytes: number;
};

function totalsByPlatform(segments: readonly SegmentStats[]): PlatformTotals[] {
  const sum = (
    platformSegments: readonly SegmentStats[],
    amount: (segment: SegmentStats) => number,
  ): number => platformSegments.reduce((total, segment) => total + amount(segment), 0);
  return [...Map.groupBy(segments, ({ platform }) => platform)].map(
    ([platform, platformSegments]) => {
      const times = platformSegments
        .flatMap(({ fromMs, toMs }) => [fromMs, toMs])
        .filter((ms) => ms !== null);
      return {
        platform,
        segments: platformSegments.length,
        posts: sum(platformSegments, ({ posts }) => posts),
        importedPosts: sum(platformSegments, ({ imported }) => imported),
        hiddenPosts: sum(platformSegments, ({ hidden }) => hidden),
        bytes: sum(platformSegments, ({ bytes }) => bytes),
        fromMs: times.length === 0 ? null : Math.min(...times),
        toMs: times.length === 0 ? null : Math.max(...times),
        outdatedSegments: platformSegments.filter(({ current }) => !current).length,
        optimisedSegments: platformSegments.filter(({ optimised }) => optimised).length,
        sealed: sealedTotals(
          platformSegments.map(({ sealed }) => sealed).filter((sealed) => sealed !== null),
        ),
      };
    },
  );
}

function sealedTotals(sealed: readonly SealedStats[]): SealedTotals {
  const sum = (amount: (each: SealedStats) => number): number =>
    sealed.reduce((total, each) => total + amount(each), 0);
  return {
    segments: sealed.length,
    damagedSegments: sealed.filter(({ damaged }) => damaged).length,
    posts: sum(({ posts, replaced }) => posts - replaced),
    deltaPosts: sum(({ delta }) => delta),
    bytes: sum(({ bytes }) => bytes),
  };
}

const bytesPerPost = ({ bytes, posts }: PlatformTotals): number | null =>
  posts === 0 ? null : Math.round(bytes / posts);

const columns: readonly Column[] = [
  { title: "PLATFORM", align: "left" },
  { title: "POSTS", align: "right" },
  { title: "IMPORTED", align: "right" },
  { title: "HIDDEN", align: "right" },
  { title: "SIZE", align: "right" },
  { title: "PER POST", align: "right" },
  { title: "SEGMENTS", align: "right" },
  { title: "SEALED", align: "right" },
  { title: "FROM", align: "left" },
  { title: "TO", align: "left" },
];

function asText(stats: ArchiveStats, time: CoverageTime, terminal: Terminal): string[] {
  const platforms = totalsByPlatform(stats.segments);
  const rows = platforms.map((totals) => [
    totals.platform,
    numberText(totals.posts),
    numberText(totals.importedPosts),
    numberText(totals.hiddenPosts),
    bytesText(totals.bytes),
    bytesPerPost(totals) === null ? "–" : `${bytesPerPost(totals)} B`,
    numberText(totals.segments),
    numberText(totals.sealed.segments),
    totals.fromMs === null ? "–" : minuteText(totals.fromMs),
    totals.toMs === null ? "–" : minuteText(totals.toMs),
  ]);
  const table =
    rows.length === 0 ? ["no posts yet"] : tableLines(columns, rows, painter(terminal).bold);
  return [
    ...table,
    "",
    ...getNotes(stats, platforms),
    "",
    ...drawCoverage(stats.coverage, {
      width: terminal.columns,
      ...time,
      unicode: showsUnicode(terminal),
    }),
  ];
}

function getNotes(stats: ArchiveStats, platforms: readonly PlatformTotals[]): string[] {
  const sum = (amount: (totals: PlatformTotals) => number): number =>
    platforms.reduce((total, totals) => total + amount(totals), 0);
  const outdatedCount = sum((totals) => totals.outdatedSegments);
  const segmentCount = stats.segments.length;
  const notes: string[] = [
    `${numberText(sum((totals) => totals.posts))} posts in ${bytesText(stats.bytes)}, at most ${bytesText(stats.maxBytes)} ` +
      `(${(100 * (stats.bytes / stats.maxBytes)).toFixed(1)} %); catalog ${bytesText(stats.catalogBytes)}`,
    `${numberText(sum((totals) => totals.optimisedSegments))} of ${numberText(segmentCount)} segments have a fully merged index`,
    sealedNote(platforms, segmentCount),
    `${numberText(stats.tombstones)} tombstones, ${numberText(stats.accounts)} accounts, ${numberText(stats.labels)} labels`,
    `${numberText(stats.waitingCounts)} pending counts; newest ingest number ${numberText(stats.lastIngestNumber)}`,
  ];
  if (outdatedCount > 0) {
    notes.push(
      `segments of another analyzer, searched post by post: ${numberText(outdatedCount)} – a running server rewrites them, or run earshot archive reindex`,
    );
  }
  const damagedCount = sum((totals) => totals.sealed.damagedSegments);
  if (damagedCount > 0) {
    notes.push(
      `damaged sealed segments, searched post by post: ${numberText(damagedCount)} – a running server repairs them, or run earshot archive reindex --segment`,
    );
  }
  if (stats.pendingSeals > 0) {
    notes.push(`segments to seal: ${numberText(stats.pendingSeals)}`);
  }
  if (stats.pendingRewrites + stats.retiredFiles > 0) {
    notes.push(
      `segments to rewrite: ${numberText(stats.pendingRewrites)}; old and unfinished files: ${numberText(stats.retiredFiles)}`,
    );
  }
  if (stats.orphaned.files > 0) {
    notes.push(
      `orphaned files in archive/orphaned: ${numberText(stats.orphaned.files)}, ${bytesText(stats.orphaned.bytes)} – see docs/operations.md`,
    );
  }
  return notes;
}

function sealedNote(platforms: readonly PlatformTotals[], segmentCount: number): string {
  const sum = (amount: (totals: SealedTotals) => number): number =>
    platforms.reduce((total, { sealed }) => total + amount(sealed), 0);
  const sealedCount = sum((totals) => totals.segments);
  const note = `${numberText(sealedCount)} of ${numberText(segmentCount)} segments sealed`;
  if (sealedCount === 0) return note;
  return (
    `${note}: the indexes of ${numberText(sum(({ posts }) => posts))} posts take ${bytesText(sum(({ bytes }) => bytes))}, ` +
    `and ${numberText(sum(({ deltaPosts }) => deltaPosts))} posts were written to them since`
  );
}

function asJson(stats: ArchiveStats, time: CoverageTime): Record<string, unknown> {
  return {
    platforms: totalsByPlatform(stats.segments).map((totals) => ({
      platform: totals.platform,
      posts: totals.posts,
      imported: totals.importedPosts,
      hidden: totals.hiddenPosts,
      bytes: totals.bytes,
      bytes_per_post: bytesPerPost(totals),
      segments: totals.segments,
      outdated_segments: totals.outdatedSegments,
      optimised_segments: totals.optimisedSegments,
      sealed: {
        segments: totals.sealed.segments,
        damaged_segments: totals.sealed.damagedSegments,
        posts: totals.sealed.posts,
        posts_written_since: totals.sealed.deltaPosts,
        index_bytes: totals.sealed.bytes,
      },
      from: timeOrNull(totals.fromMs),
      to: timeOrNull(totals.toMs),
    })),
    bytes: stats.bytes,
    max_bytes: stats.maxBytes,
    catalog_bytes: stats.catalogBytes,
    tombstones: stats.tombstones,
    accounts: stats.accounts,
    labels: stats.labels,
    waiting_counts: stats.waitingCounts,
    newest_arrival: stats.lastIngestNumber,
    waiting_rewrites: stats.pendingRewrites,
    waiting_seals: stats.pendingSeals,
    old_files: stats.retiredFiles,
    orphaned_files: stats.orphaned.files,
    orphaned_bytes: stats.orphaned.bytes,
    coverage: stats.coverage.flatMap(({ platform, intervals }) =>
      collections.flatMap((collection) => {
        const collectionIntervals = platformWideIntervals(intervals, collection);
        if (collectionIntervals.length === 0) return [];
        const window = { fromMs: null, toMs: time.nowMs };
        const gaps = gapsIn(window, collectionIntervals, time.nowMs, 0);
        const coveredSpans = subtractSpans(window, gaps);
        return [
          { platform, collection, held: coveredSpans.map(spanJson), gaps: gaps.map(spanJson) },
        ];
      }),
    ),
    intervals: stats.coverage.flatMap(({ intervals }) =>
      intervals.map(({ platform, collection, account, source, fromMs, toMs }) => ({
        platform,
        collection,
        account,
        source,
        ...spanJson({ fromMs, toMs }),
      })),
    ),
    segments: stats.segments.map(({ fromMs, toMs, sealed, ...segment }) => ({
      ...segment,
      sealed: sealed && {
        at: isoText(sealed.atMs),
        posts: sealed.posts,
        posts_replaced: sealed.replaced,
        posts_written_since: sealed.delta,
        index_bytes: sealed.bytes,
        damaged: sealed.damaged,
      },
      from: timeOrNull(fromMs),
      to: timeOrNull(toMs),
    })),
  };
}

const collections = ["posts", "likes", "reposts", "labels"] as const;

const spanJson = ({ fromMs, toMs }: Span): { from: string | null; to: string } => ({
  from: timeOrNull(fromMs),
  to: isoText(toMs),
});

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : isoText(ms));
