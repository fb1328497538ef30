import { printQuery } from "@earshot/query/tree";
import { systemClock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Coverage } from "../../platforms/source.ts";
import { countArchive, type SourceCounts } from "../../search/archive/count.ts";
import { noLiveStream } from "../../search/archive/coverage.ts";
import { streamedPlatforms } from "../../server/streamed-platforms.ts";
import { withArchive } from "../archive/with-archive.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readTree } from "./read-tree.ts";
import { bucketLengthsMs, type CountInput } from "./search-input.ts";
import { fillBuckets, type ShownCounts } from "./show-counts.ts";

/**
 * Errors: `invalid_query`, `no_archive`, `wrong_use`; after showing what was counted, also
 * `deadline_exceeded`.
 */
export async function countLocally(
  input: CountInput,
  terminal: Terminal,
  show: (counts: ShownCounts) => void,
): Promise<void> {
  const config = readConfig(terminal);
  const tree = readTree(input.query, terminal);
  requireDataDir(config);
  const { nowMs, bucketName } = input;
  const toMs = Math.min(input.untilMs ?? nowMs, nowMs);
  await withArchive(config, async (archive) => {
    const counts = await countArchive(
      {
        archive,
        clock: systemClock,
        streamedPlatforms: streamedPlatforms(config),
        coverageSlackMs: 0,
        liveSinceMs: noLiveStream,
      },
      {
        platform: "social",
        tree,
        fromMs: Math.max(input.sinceMs ?? earliestMs, earliestMs),
        toMs,
        bucketMs: bucketLengthsMs[bucketName],
        asOfMs: nowMs,
      },
      nowMs + config.jobs.deadlineMs,
      terminal.stopSignal,
    );
    show({ ...countsToShow(counts, input, toMs), query: printQuery(tree), bucketName });
    if (counts.warnings.some(({ code }) => code === "deadline_reached")) {
      throw deadlineExceeded(config.jobs.deadlineMs);
    }
  });
}

/** The earliest time that RFC 3339 can express, with its four-digit years. */
const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");

/**
 * Starts at the first match unless `--since` is set. Unless `--until` is set, drops trailing
 * buckets that have neither coverage nor matches.
 */
function countsToShow(
  sourceCounts: SourceCounts,
  { bucketName, sinceMs, untilMs }: CountInput,
  toMs: number,
): Omit<ShownCounts, "query" | "bucketName"> {
  const bucketMs = bucketLengthsMs[bucketName];
  const firstMs = sourceCounts.buckets[0]?.fromMs ?? toMs;
  const fromMs = Math.max(sourceCounts.countedFromMs, sinceMs ?? firstMs);
  refuseTooManyBuckets(toMs - fromMs, bucketMs);
  const allBuckets = fillBuckets(sourceCounts, fromMs, toMs, bucketMs);
  const lastIndex = allBuckets.findLastIndex(({ count, complete }) => count > 0 || complete);
  const buckets = untilMs === null ? allBuckets.slice(0, lastIndex + 1) : allBuckets;
  return {
    ...sourceCounts,
    coverage: withUnboundedStart(sourceCounts.coverage),
    bucketMs,
    fromMs,
    toMs,
    buckets,
  };
}

/** For more buckets, use the API, which returns them in pages. */
const maxBuckets = 1_000_000;

function refuseTooManyBuckets(spanMs: number, bucketMs: number): void {
  if (spanMs / bucketMs <= maxBuckets) return;
  throw wrongUse("too many buckets to print", "narrow --since and --until, or use a longer --by");
}

/** Shows coverage from `earliestMs` as unbounded. */
function withUnboundedStart(coverage: Coverage): Coverage {
  const getStart = (ms: number | null) => (ms === earliestMs ? null : ms);
  const withUnboundedStarts = (spans: Coverage["gaps"]) =>
    spans.map(({ fromMs, toMs }) => ({ fromMs: getStart(fromMs), toMs }));
  return {
    ...coverage,
    fromMs: getStart(coverage.fromMs),
    gaps: withUnboundedStarts(coverage.gaps),
    platforms: (coverage.platforms ?? []).map((platform) => ({
      ...platform,
      held: withUnboundedStarts(platform.held),
      gaps: withUnboundedStarts(platform.gaps),
    })),
  };
}

function deadlineExceeded(deadlineMs: number): EarshotError {
  return new EarshotError(
    "deadline_exceeded",
    `the count exceeded its deadline of ${deadlineMs / 1000} s`,
    { hint: "narrow it with --since and --until, or raise EARSHOT_JOB_DEADLINE" },
  );
}
