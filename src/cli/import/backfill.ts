import { type Command, Option } from "commander";
import { wrongUse } from "../describe-error.ts";
import { replaySpan } from "../parse-values.ts";
import type { Terminal } from "../terminal/terminal.ts";

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
      "Fetches Bluesky posts that the live stream missed (docs/backfill.md): all posts of accounts, or all " +
        "events of a time range. Can be interrupted and repeated, even while a server runs.",
    )
    .option("--author <name...>", "accounts, by handle or DID")
    .option("--authors-file <file>", "a file with an account per line; - for standard input")
    .addOption(
      new Option(
        "--replay <from..to>",
        "all events of this time range; 'gaps' for all gaps in coverage",
      ).argParser(replaySpan),
    )
    .option("--no-labels", "skip moderation labels")
    .option("--again", "also read unchanged accounts")
    .option("--json", "print a line of JSON for each account or the replay")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot backfill --author bsky.app pfrazee.com\n" +
        "  earshot backfill --replay gaps\n" +
        "  earshot backfill --replay 2026-11-01..2026-11-03",
    )
    .action((options: BackfillOptions) => backfill(options, terminal));
}

async function backfill(options: BackfillOptions, terminal: Terminal): Promise<void> {
  const isForAuthors = options.author !== undefined || options.authorsFile !== undefined;
  if (isForAuthors === (options.replay !== undefined)) {
    throw wrongUse(
      isForAuthors ? "--replay conflicts with authors" : "accounts or a time range is required",
      "use either --author and --authors-file, or --replay",
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
