import { parseQueryLeniently } from "@earshot/query";
import { printQuery, type QueryNode, renderDiagnostic } from "@earshot/query/tree";
import { type Command, Option } from "commander";
import { openArchive } from "../archive/threads/open.ts";
import { systemClock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import type { Coverage } from "../platforms/source.ts";
import { countArchive, type SourceCounts } from "../search/archive/count.ts";
import { noLiveStream } from "../search/archive/coverage.ts";
import { fedPlatforms } from "../server/fed-platforms.ts";
import { refusedQuery, wrongUse } from "./describe-error.ts";
import { moment } from "./parse-values.ts";
import { queryOf, takesQuery } from "./query-argument.ts";
import { readConfig, requireDataDir } from "./settings.ts";
import { bucketsOf, type ShownCounts, showCounts } from "./show-counts.ts";
import type { Terminal } from "./terminal.ts";

const lengthsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

type Options = {
  by: keyof typeof lengthsMs;
  since?: number;
  until?: number;
  json?: boolean;
  csv?: boolean;
};

/** The API returns more in pages. */
const mostBuckets = 1_000_000;

export function addCounts(program: Command, terminal: Terminal): void {
  takesQuery(program.command("counts"))
    .description(
      "Counts matching posts per minute, hour or day (UTC) from the first match. A terminal shows bars, with several " +
        "buckets per line if needed; otherwise each bucket is a line. A question mark means incomplete coverage: there " +
        "may be more posts.",
    )
    .addOption(
      new Option("--by <length>", "length of a bucket")
        .choices(Object.keys(lengthsMs))
        .default("hour"),
    )
    .option("--since <time>", "only posts from this day or time on", moment)
    .option("--until <time>", "only posts before this day or time", moment)
    .option("--json", "print JSON like GET /v1/search/social/counts")
    .option("--csv", "print start,end,tweet_count,complete")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot counts 'aurora lang:en' --by day\n" +
        "  earshot counts '#nasa -filter:retweets' --by minute --since 2026-01-31T10:00:00Z --csv",
    )
    .action((_query: string, options: Options, command: Command) =>
      counts(queryOf(command), options, terminal),
    );
}

async function counts(query: string, options: Options, terminal: Terminal): Promise<void> {
  if (options.json && options.csv) throw wrongUse("--json and --csv are two forms", "take one");
  const nowMs = systemClock.now();
  const window = {
    fromMs: options.since ?? Number.NEGATIVE_INFINITY,
    toMs: Math.min(options.until ?? nowMs, nowMs),
  };
  if (window.fromMs >= window.toMs) {
    throw wrongUse("no time lies between --since and --until", "--since must be earlier, and past");
  }
  const config = readConfig(terminal);
  const tree = readTree(query, terminal);
  requireDataDir(config);
  const { dir, ...settings } = config.data;
  const archive = await openArchive({ dataDir: dir, ...settings, clock: systemClock });
  const bucketMs = lengthsMs[options.by];
  try {
    const counted = await countArchive(
      {
        archive,
        clock: systemClock,
        fedPlatforms: fedPlatforms(config),
        coverageSlackMs: 0,
        liveSinceMs: noLiveStream,
      },
      {
        platform: "social",
        tree,
        fromMs: Math.max(window.fromMs, earliestMs),
        toMs: window.toMs,
        bucketMs,
        asOfMs: nowMs,
      },
      nowMs + config.jobs.deadlineMs,
      terminal.stopping,
    );
    const shown = shownOf(counted, options, window.toMs, bucketMs);
    showCounts({ ...shown, query: printQuery(tree), by: options.by }, options, terminal);
    if (counted.warnings.some(({ code }) => code === "deadline_reached")) {
      throw tookTooLong(config.jobs.deadlineMs);
    }
  } finally {
    await archive.close();
  }
}

/** Before any post, and the first year with four digits. */
const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");

/** Without `--since`, starts at the first match. Without `--until`, drops trailing buckets without coverage and matches. */
function shownOf(
  counted: SourceCounts,
  { since, until }: Options,
  toMs: number,
  bucketMs: number,
): Omit<ShownCounts, "query" | "by"> {
  const firstMs = counted.buckets[0]?.fromMs ?? toMs;
  const fromMs = Math.max(counted.countedFromMs, since ?? firstMs);
  if ((toMs - fromMs) / bucketMs > mostBuckets) {
    throw wrongUse(
      "there are too many buckets to be printed",
      "narrow the time with --since and --until, or take a longer --by",
    );
  }
  const all = bucketsOf(counted, fromMs, toMs, bucketMs);
  const last = all.findLastIndex(({ count, complete }) => count > 0 || complete);
  const buckets = until === undefined ? all.slice(0, last + 1) : all;
  return { ...counted, coverage: withoutStart(counted.coverage), bucketMs, fromMs, toMs, buckets };
}

/** Shows coverage from `earliestMs` as unbounded. */
function withoutStart(coverage: Coverage): Coverage {
  const startOf = (ms: number | null) => (ms === earliestMs ? null : ms);
  const open = (spans: Coverage["gaps"]) =>
    spans.map(({ fromMs, toMs }) => ({ fromMs: startOf(fromMs), toMs }));
  return {
    ...coverage,
    fromMs: startOf(coverage.fromMs),
    gaps: open(coverage.gaps),
    platforms: (coverage.platforms ?? []).map((each) => ({
      ...each,
      held: open(each.held),
      gaps: open(each.gaps),
    })),
  };
}

/** Prints diagnostics. Errors: `invalid_query`. */
function readTree(query: string, terminal: Terminal): QueryNode {
  const { tree, diagnostics } = parseQueryLeniently(query);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (tree === null || errors.length > 0) {
    for (const error of errors) terminal.note(`${renderDiagnostic(query, error)}\n\n`);
    throw refusedQuery(errors.length);
  }
  for (const { message, hint } of diagnostics) {
    terminal.note(`earshot: ${message}${hint ? ` – ${hint}` : ""}\n`);
  }
  return tree;
}

function tookTooLong(deadlineMs: number): EarshotError {
  return new EarshotError(
    "deadline_exceeded",
    `the count ended after ${deadlineMs / 1000} s, before all of the archive was counted`,
    { hint: "narrow it with --since and --until, or raise EARSHOT_JOB_DEADLINE" },
  );
}
