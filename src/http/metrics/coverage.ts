import { Gauge, type Registry } from "prom-client";
import type { Archive, PlatformCoverage } from "../../archive/archive.ts";
import { gapsIn, hasCaughtUp, platformWideIntervals } from "../../archive/catalog/coverage.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Span } from "../../lib/spans.ts";
import type { Platform } from "../../posts/post.ts";

export type CoverageMetricSource = {
  archive: Pick<Archive, "coverage" | "stats">;
  clock: Pick<Clock, "now" | "elapsed">;
  /** Coverage that ended this recently counts as current. */
  coverageSlackMs: number;
  liveSinceMs(platform: Platform): number | null;
};

/** Summing posts opens every segment, which is too costly for each scrape. */
const maxSumAgeMs = 60_000;

export function addCoverageMetrics(
  registry: Registry,
  { archive, clock, ...feed }: CoverageMetricSource,
): { refresh(): Promise<void> } {
  const registers = [registry];
  let coverage: readonly PlatformCoverage[] = [];
  let postCounts = new Map<string, number>();
  let summedAtMs = Number.NEGATIVE_INFINITY;

  new Gauge({
    name: "earshot_archive_posts",
    help: "Posts in the archive",
    labelNames: ["platform"],
    registers,
    collect() {
      this.reset();
      for (const [platform, count] of postCounts) this.set({ platform }, count);
    },
  });
  function addGapGauge(name: string, help: string, value: (gaps: readonly Span[]) => number): void {
    new Gauge({
      name,
      help,
      labelNames: ["platform"],
      registers,
      collect() {
        this.reset();
        for (const { platform, gaps } of coverageGaps(coverage, clock.now(), feed)) {
          this.set({ platform }, value(gaps));
        }
      },
    });
  }

  addGapGauge(
    "earshot_coverage_gaps",
    "Gaps in the coverage of posts since it began",
    (gaps) => gaps.length,
  );
  addGapGauge(
    "earshot_coverage_gap_seconds",
    "Time since the first coverage of posts that is not completely covered",
    (gaps) => gaps.reduce((sum, gap) => sum + lengthMs(gap), 0) / 1000,
  );

  async function sumPosts(): Promise<void> {
    if (clock.elapsed() - summedAtMs < maxSumAgeMs) return;
    const startMs = clock.elapsed();
    const { segments } = await archive.stats();
    const sums = new Map<string, number>();
    for (const segment of segments) {
      sums.set(segment.platform, (sums.get(segment.platform) ?? 0) + segment.posts);
    }
    postCounts = sums;
    summedAtMs = startMs;
  }

  async function refresh(): Promise<void> {
    coverage = await archive.coverage();
    await sumPosts();
  }

  return { refresh };
}

type PlatformGaps = { platform: string; gaps: readonly Span[] };

function coverageGaps(
  coverage: readonly PlatformCoverage[],
  nowMs: number,
  feed: Pick<CoverageMetricSource, "coverageSlackMs" | "liveSinceMs">,
): readonly PlatformGaps[] {
  return coverage.flatMap(({ platform, intervals }) => {
    const postIntervals = platformWideIntervals(intervals, "posts");
    if (postIntervals.length === 0) return [];
    const slackMs = hasCaughtUp(postIntervals, feed.liveSinceMs(platform))
      ? feed.coverageSlackMs
      : 0;
    const fromMs = postIntervals.reduce(
      (first, interval) => Math.min(first, interval.fromMs),
      nowMs,
    );
    return [{ platform, gaps: gapsIn({ fromMs, toMs: nowMs }, postIntervals, nowMs, slackMs) }];
  });
}

const lengthMs = ({ fromMs, toMs }: Span): number => (fromMs === null ? 0 : toMs - fromMs);
