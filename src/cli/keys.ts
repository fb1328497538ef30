import { type Command, Option } from "commander";
import { longestKeyName } from "../accounts/keys/key-name.ts";
import { wrongUse } from "./describe-error.ts";
import { createKey, listKeys, longestOverlapMs, revokeKey, rotateKey } from "./keys-actions.ts";
import { durationUpTo, methodList, wholeNumber } from "./parse-values.ts";
import type { Terminal } from "./terminal.ts";

const hourMs = 3_600_000;
/** A hundred years. */
const longestLifeMs = 36_525 * 24 * hourMs;

export function addKeys(program: Command, terminal: Terminal): void {
  const keys = program
    .command("keys")
    .description(
      "Makes, lists, rotates and revokes API keys. Works beside a running server, at once.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "keys needs to know what to do",
        "write keys create, keys list, keys rotate or keys revoke",
      );
    });
  const limit = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  keys
    .command("create")
    .summary("make a key and print it, once")
    .description(
      "Makes a key and prints it alone on the last line: it is kept as a hash and never shown again. Each key is an account of " +
        "its own, with its own jobs, unless --account names one. Limits are counted per key.",
    )
    .requiredOption("--name <name>", `what the key is for, up to ${longestKeyName} characters`)
    .option(
      "--account <account>",
      "the account it belongs to: its id, its name, or its login such as github:ann; a name that no account has makes one",
    )
    .option("--requests-per-second <number>", "instead of EARSHOT_REQUESTS_PER_SECOND", limit)
    .option("--submissions-per-minute <number>", "instead of EARSHOT_SUBMISSIONS_PER_MINUTE", limit)
    .option("--methods <methods>", "all that it may use, with commas between them", methodList)
    .option(
      "--expires <duration>",
      "ends after a duration, such as 90d; never without it",
      durationUpTo(1_000, longestLifeMs),
    )
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  KEY=$(earshot keys create --name laptop | tail -n 1)\n" +
        "  earshot keys create --name laptop --account ann",
    )
    .action((options: Parameters<typeof createKey>[0]) => createKey(options, terminal));
  keys
    .command("list")
    .summary("list all keys")
    .description(
      "Lists all keys, those that ended too, oldest first. The secret part of a key is not kept. An expiring key was rotated, " +
        "and is still good for a while.",
    )
    .option("--json", "print one JSON object a line")
    .action((options: { json?: boolean }) => listKeys(options, terminal));
  keys
    .command("rotate")
    .summary("put another key in a key's place and print it, once")
    .description(
      "Makes a key of the same account, name, limits, methods and end, and prints it alone on the last line. The one in whose " +
        "place it comes is good until the overlap is over; until then both share their limits. Of keys that were rotated again " +
        "and again the last two are good.",
    )
    .argument("<id>", "the key's id, as keys list shows it")
    .addOption(
      new Option(
        "--overlap <duration>",
        "how long both are good, up to 7d; 0s ends the former at once",
      )
        .argParser(durationUpTo(0, longestOverlapMs))
        .default(24 * hourMs, "24h"),
    )
    .action((id: string, options: { overlap: number }) => rotateKey(id, options.overlap, terminal));
  keys
    .command("revoke")
    .summary("end a key for good")
    .description(
      "Ends a key for good; requests with it are refused from now on. Its jobs stay until they expire.",
    )
    .argument("<id>", "the key's id, as keys list shows it")
    .action((id: string) => revokeKey(id, terminal));
}
