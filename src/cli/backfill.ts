import { type Command, Option } from "commander";
import { wrongUse } from "./describe-error.ts";
import { replaySpan } from "./parse-values.ts";
import type { Terminal } from "./terminal.ts";

export type BackfillOptions = {
  author?: readonly string[];
  authorsFile?: string;
  replay?: "gaps" | { fromMs: number; toMs: number };
  labels: boolean;
  again?: boolean;
  json?: boolean;
};

export function addBackfill(program: Command, terminal: Terminal): void {
  program
    .command("backfill")
    .description(
      "Reads posts of Bluesky that the live stream did not bring (docs/backfill.md): all posts of some accounts, or what " +
        "the network did in a stretch of time. May be interrupted and run again, also beside a running server: it goes on " +
        "where it was, and nothing is doubled.",
    )
    .option("--author <name...>", "accounts, by handle or DID")
    .option("--authors-file <file>", "a file with such a name on each line; - reads standard input")
    .addOption(
      new Option(
        "--replay <from..to>",
        "everything of this time; gaps is all time between that which is held",
      ).argParser(replaySpan),
    )
    .option("--no-labels", "leave out the labels of moderators")
    .option("--again", "read accounts of which nothing has changed as well")
    .option("--json", "print a summary as a line of JSON, of each account or of the replay")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot backfill --author bsky.app pfrazee.com\n" +
        "  earshot backfill --authors-file people.txt --no-labels --json\n" +
        "  earshot backfill --replay gaps\n" +
        "  earshot backfill --replay 2026-11-01..2026-11-03",
    )
    .action((options: BackfillOptions) => backfill(options, terminal));
}

async function backfill(options: BackfillOptions, terminal: Terminal): Promise<void> {
  const isForAuthors = options.author !== undefined || options.authorsFile !== undefined;
  if (isForAuthors === (options.replay !== undefined)) {
    throw wrongUse(
      isForAuthors ? "--replay goes with no author" : "it is not said what to read",
      "give --author or --authors-file, or else --replay",
    );
  }
  if (options.replay === undefined) {
    const { backfillAccounts } = await import("./backfill-accounts.ts");
    await backfillAccounts(options, terminal);
    return;
  }
  const { backfillTime } = await import("./backfill-time.ts");
  await backfillTime(options.replay, options, terminal);
}
