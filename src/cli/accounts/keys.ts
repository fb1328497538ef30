import { type Command, Option } from "commander";
import { maxKeyNameLength } from "../../accounts/keys/key.ts";
import { wrongUse } from "../describe-error.ts";
import { durationUpTo, methodList, parseWholeNumber } from "../parse-values.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createKey, listKeys, maxOverlapMs, revokeKey, rotateKey } from "./keys-actions.ts";

const hourMs = 3_600_000;
/** A hundred years. */
const maxLifetimeMs = 36_525 * 24 * hourMs;

export function addKeys(program: Command, terminal: Terminal): void {
  const keys = program
    .command("keys")
    .description(
      "Creates, lists, rotates and revokes API keys. Changes apply to a running server immediately.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse("keys requires a subcommand", "use keys create, list, rotate or revoke");
    });
  const limit = parseWholeNumber(1, Number.MAX_SAFE_INTEGER);
  keys
    .command("create")
    .summary("create a key and print it once")
    .description(
      "Creates a key and prints it once, on the last line. Without --account, the key gets an account of its " +
        "own.",
    )
    .requiredOption("--name <name>", `a label, up to ${maxKeyNameLength} characters`)
    .option(
      "--account <account>",
      "its account, by id, name or login (github:ann); an unknown name creates an account",
    )
    .option("--requests-per-second <number>", "overrides EARSHOT_REQUESTS_PER_SECOND", limit)
    .option("--submissions-per-minute <number>", "overrides EARSHOT_SUBMISSIONS_PER_MINUTE", limit)
    .option("--methods <methods>", "allowed methods, comma-separated", methodList)
    .option(
      "--expires <duration>",
      "lifetime, such as 90d; default: unlimited",
      durationUpTo(1_000, maxLifetimeMs),
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
    .description("Lists all keys, including revoked and expired ones, oldest first.")
    .option("--json", "print NDJSON")
    .action((options: { json?: boolean }) => listKeys(options, terminal));
  keys
    .command("rotate")
    .summary("replace a key and print the new one once")
    .description(
      "Creates a key with the same account, name, limits, methods and expiry, and prints it on the last line. " +
        "The old key stays valid for the overlap and shares its limits.",
    )
    .argument("<id>", "id from keys list")
    .addOption(
      new Option(
        "--overlap <duration>",
        "how long both are valid, up to 7d; 0s expires the old key immediately",
      )
        .argParser(durationUpTo(0, maxOverlapMs))
        .default(24 * hourMs, "24h"),
    )
    .action((id: string, options: { overlap: number }) => rotateKey(id, options.overlap, terminal));
  keys
    .command("revoke")
    .summary("revoke a key permanently")
    .description("Revokes a key permanently. Its jobs are kept until they expire.")
    .argument("<id>", "id from keys list")
    .action((id: string) => revokeKey(id, terminal));
}
