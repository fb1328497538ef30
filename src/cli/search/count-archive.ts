import { printQuery } from "@earshot/query/tree";
import { openArchive } from "../../archive/threads/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Coverage } from "../../platforms/source.ts";
import { countArchive, type SourceCounts } from "../../search/archive/count.ts";
import { noLiveStream } from "../../search/archive/coverage.ts";
import { streamedPlatforms } from "../../server/streamed-platforms.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readTree } from "./read-tree.ts";
import { bucketLengthsMs, type CountTerms } from "./search-terms.ts";
import { plotBuckets, type ShownCounts } from "./show-counts.ts";

/**
 * Errors: `invalid_query`, `no_archive`, `wrong_use`; after showing what was counted, also
 * `deadline_exceeded`.
 */
export async function countLocally(
  terms: CountTerms,
  terminal: Terminal,
  show: (counts: ShownCounts) => void,
): Promise<void> {
  const config = readConfig(terminal);
  const tree = readTree(terms.query, terminal);
  requireDataDir(config);
  const { dir, ...settings } = config.data;
  const { nowMs, by } = terms;
  const toMs = Math.min(terms.untilMs ?? nowMs, nowMs);
  const archive = await openArchive({ dataDir: dir, ...settings, clock: systemClock });
  try {
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
        fromMs: Math.max(terms.sinceMs ?? earliestMs, earliestMs),
        toMs,
        bucketMs: bucketLengthsMs[by],
        asOfMs: nowMs,
      },
      nowMs + config.jobs.deadlineMs,
      terminal.stopping,
    );
    show({ ...countsToShow(counts, terms, toMs), query: printQuery(tree), by });
    if (counts.warnings.some(({ code }) => code === "deadline_reached")) {
      throw deadlineExceeded(config.jobs.deadlineMs);
    }
  } finally {
    await archive.close();
  }
}

/** The first year with four digits. */
const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");

/**
 * Starts at the first match unless `--since` is set. Unless `--until` is set, drops trailing
 * buckets that have neither coverage nor matches.
 */
function countsToShow(
  counted: SourceCounts,
  { by, sinceMs, untilMs }: CountTerms,
  toMs: number,
): Omit<ShownCounts, "query" | "by"> {
  const bucketMs = bucketLengthsMs[by];
  const firstMs = counted.buckets[0]?.fromMs ?? toMs;
  const fromMs = Math.max(counted.countedFromMs, sinceMs ?? firstMs);
  requireFewBuckets(toMs - fromMs, bucketMs);
  const all = plotBuckets(counted, fromMs, toMs, bucketMs);
  const last = all.findLastIndex(({ count, complete }) => count > 0 || complete);
  const buckets = untilMs === null ? all.slice(0, last + 1) : all;
  return { ...counted, coverage: withoutStart(counted.coverage), bucketMs, fromMs, toMs, buckets };
}

/** The API returns more buckets in pages. */
const maxBuckets = 1_000_000;

function requireFewBuckets(spanMs: number, bucketMs: number): void {
  if (spanMs / bucketMs <= maxBuckets) return;
  throw wrongUse("too many buckets to print", "narrow --since and --until, or use a longer --by");
}

/** Shows coverage from `earliestMs` as unbounded. */
function withoutStart(coverage: Coverage): Coverage {
  const getStart = (ms: number | null) => (ms === earliestMs ? null : ms);
  const withoutStarts = (spans: Coverage["gaps"]) =>
    spans.map(({ fromMs, toMs }) => ({ fromMs: getStart(fromMs), toMs }));
  return {
    ...coverage,
    fromMs: getStart(coverage.fromMs),
    gaps: withoutStarts(coverage.gaps),
    platforms: (coverage.platforms ?? []).map((platform) => ({
      ...platform,
      held: withoutStarts(platform.held),
      gaps: withoutStarts(platform.gaps),
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
