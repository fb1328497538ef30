import type { Command } from "commander";
import type { Archive, PlatformCoverage } from "../archive/archive.ts";
import { openArchive } from "../archive/open.ts";
import { systemClock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import { platforms } from "../posts/post.ts";
import { makePlan, namesIn } from "../query/make-plan.ts";
import { parseQuery } from "../query/parse.ts";
import { wholeNumber } from "./parse-values.ts";
import { queryOf, takesQuery } from "./query-argument.ts";
import { readConfig, requireDataDir } from "./settings.ts";
import { showRecord } from "./show-record.ts";
import type { Terminal } from "./terminal.ts";

type Options = { maxResults: number; json?: boolean };

/** `earshot search`: asks the archive of the data folder directly, all of it. */
export function addSearch(program: Command, terminal: Terminal): void {
  takesQuery(program.command("search"))
    .summary("ask the local archive directly")
    .description(
      "Asks the archive in the data folder directly, all of it, newest first; no server and no key is needed. " +
        "The operators are those of the API (docs/query-language.md).",
    )
    .option("--max-results <number>", "how many posts at most, 1..500", wholeNumber(1, 500), 20)
    .option("--json", "print the API's records, one a line")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot search 'aurora lang:en -filter:retweets'\n" +
        "  earshot search '\"northern lights\" (from:halden_demo OR min_faves:50)' --json | jq .Content",
    )
    .action((_query: string, options: Options, command: Command) =>
      search(queryOf(command), options, terminal),
    );
}

async function search(query: string, options: Options, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  const { tree, warnings } = parseQuery(query);
  for (const { message, hint } of warnings) {
    terminal.note(`earshot: ${message}${hint ? ` – ${hint}` : ""}\n`);
  }
  requireDataDir(config);
  const { dir, readers, segmentPosts } = config.data;
  const archive = await openArchive({ dataDir: dir, readers, segmentPosts, clock: systemClock });
  try {
    const names = await archive.resolve(namesIn(tree));
    const answer = await archive.search(
      {
        plan: makePlan(tree, { names, asOfMs: systemClock.now() }),
        platforms,
        fromMs: null,
        toMs: null,
        after: null,
        limit: options.maxResults,
        deadlineMs: systemClock.now() + config.jobs.deadlineMs,
      },
      terminal.stopping,
    );
    const records = await archive.records(answer.positions);
    for (const record of records) {
      terminal.out(options.json ? `${record}\n` : showRecord(record, terminal));
    }
    if (!options.json)
      await sayWhatIsKnown(archive, records.length, answer.next !== null, terminal);
    if (!answer.complete) throw tookTooLong(config.jobs.deadlineMs);
  } finally {
    await archive.close();
  }
}

/** An empty list never hides a hole: says which time is held completely. */
async function sayWhatIsKnown(
  archive: Archive,
  count: number,
  more: boolean,
  terminal: Terminal,
): Promise<void> {
  const coverage = await archive.coverage();
  const posts = count === 1 ? "1 post" : `${count} posts`;
  const rest = more ? "; there are more, --max-results takes up to 500" : "";
  terminal.note(`${posts}${rest}. ${describeCoverage(coverage)}\n`);
}

function describeCoverage(coverage: readonly PlatformCoverage[]): string {
  const spans = coverage.flatMap(({ platform, intervals }) =>
    intervals.map(({ fromMs, toMs }) => `${platform} ${minute(fromMs)} to ${minute(toMs)}`),
  );
  if (spans.length === 0) return "No time is known to be held completely.";
  const last = spans.slice(-3);
  const left = spans.length - last.length;
  return `Held completely: ${last.join(", ")}${left > 0 ? ` and ${left} earlier spans` : ""}.`;
}

const minute = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

function tookTooLong(deadlineMs: number): EarshotError {
  return new EarshotError(
    "deadline_exceeded",
    `the search ended after ${deadlineMs / 1000} s, before all of the archive was asked`,
    {
      hint: "narrow it with since: and until:, or raise EARSHOT_JOB_DEADLINE",
    },
  );
}
