import { parseQueryLeniently } from "@earshot/query";
import { renderDiagnostic } from "@earshot/query/tree";
import type { Command } from "commander";
import { openArchive } from "../archive/threads/open.ts";
import { systemClock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import type { SourceAnswer } from "../platforms/source.ts";
import { noLiveStream } from "../search/archive/coverage.ts";
import { searchArchive } from "../search/archive/search.ts";
import { withDamage } from "../search/damage.ts";
import { recordsOf } from "../search/fill-in.ts";
import { fedPlatforms } from "../server/fed-platforms.ts";
import { refusedQuery } from "./describe-error.ts";
import { wholeNumber } from "./parse-values.ts";
import { queryOf, takesQuery } from "./query-argument.ts";
import { readConfig, requireDataDir } from "./settings.ts";
import { drawnKnowledge, knowledgeOf } from "./show-knowledge.ts";
import { showRecord } from "./show-record.ts";
import type { Terminal } from "./terminal.ts";

type Options = { maxResults: number; json?: boolean };

export function addSearch(program: Command, terminal: Terminal): void {
  takesQuery(program.command("search"))
    .description(
      "Searches the whole archive in the data folder, newest first, without a server or key. Reports and draws gaps in " +
        "coverage. The operators are those of the API (docs/query-language.md).",
    )
    .option("--max-results <number>", "maximum number of posts, 1..500", wholeNumber(1, 500), 20)
    .option("--json", "print the API's records, one per line")
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
  printDiagnostics(query, terminal);
  requireDataDir(config);
  const { dir, ...settings } = config.data;
  const archive = await openArchive({ dataDir: dir, ...settings, clock: systemClock });
  const nowMs = systemClock.now();
  try {
    const found = await searchArchive(
      {
        archive,
        clock: systemClock,
        fedPlatforms: fedPlatforms(config),
        coverageSlackMs: 0,
        liveSinceMs: noLiveStream,
      },
      {
        platform: "social",
        query,
        fromMs: null,
        toMs: nowMs,
        asOfMs: nowMs,
        after: null,
        maxResults: options.maxResults,
      },
      nowMs + config.jobs.deadlineMs,
      terminal.stopping,
    );
    const { records, damage } = await recordsOf(archive, found.items);
    const answer = withDamage(found, damage);
    for (const record of records) {
      terminal.out(options.json ? `${record}\n` : showRecord(record, terminal));
    }
    if (!options.json) {
      const coverage = await archive.coverage();
      const { coverageSlackMs: slackMs } = config.ingest;
      terminal.note(`${countOf(records.length, answer)}. ${knowledgeOf(answer)}.\n`);
      for (const line of drawnKnowledge(answer, coverage, { nowMs, slackMs }, terminal)) {
        terminal.note(`${line}\n`);
      }
    }
    if (answer.warnings.some(({ code }) => code === "deadline_reached")) {
      throw tookTooLong(config.jobs.deadlineMs);
    }
  } finally {
    await archive.close();
  }
}

/** Prints diagnostics. Errors: `invalid_query`. */
function printDiagnostics(query: string, terminal: Terminal): void {
  const { diagnostics } = parseQueryLeniently(query);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    for (const error of errors) terminal.note(`${renderDiagnostic(query, error)}\n\n`);
    throw refusedQuery(errors.length);
  }
  for (const { message, hint } of diagnostics) {
    terminal.note(`earshot: ${message}${hint ? ` – ${hint}` : ""}\n`);
  }
}

function countOf(count: number, { next }: SourceAnswer): string {
  const posts = count === 1 ? "1 post" : `${count} posts`;
  return next === null ? posts : `${posts}; there are more, --max-results takes up to 500`;
}

function tookTooLong(deadlineMs: number): EarshotError {
  return new EarshotError(
    "deadline_exceeded",
    `the search ended after ${deadlineMs / 1000} s, before all of the archive was asked`,
    {
      hint: "narrow it with since: and until:, or raise EARSHOT_JOB_DEADLINE",
    },
  );
}
