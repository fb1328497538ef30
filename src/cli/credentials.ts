import type { Command } from "commander";
import { systemClock } from "../lib/clock.ts";
import { credentialKinds } from "../server/credential-kinds.ts";
import { unknownCredential } from "../upstream/credentials/operations.ts";
import { withControl } from "./control.ts";
import { kindsText } from "./credential-kind-texts.ts";
import { type AddOptions, addCredential } from "./credentials-add.ts";
import { type CheckOptions, checkCredentials } from "./credentials-check.ts";
import type { KindsOf } from "./credentials-folder.ts";
import { wrongUse } from "./describe-error.ts";
import { readConfig } from "./settings.ts";
import { listingAsJson, listingsAsTable } from "./show-credential.ts";
import type { Terminal } from "./terminal.ts";

export function addCredentials(
  program: Command,
  terminal: Terminal,
  kindsOf: KindsOf = credentialKinds,
): void {
  const credentials = program
    .command("credentials")
    .description(
      "Keeps, lists, tests and removes credentials of platforms (docs/credentials.md). Works beside a running server, which " +
        "knows of a change at its next request.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "credentials needs to know what to do",
        "write credentials add, credentials list, credentials test or credentials remove",
      );
    });
  credentials
    .command("add")
    .summary("ask the platform whether a credential is good, and keep it")
    .description(
      "Asks the platform whether a credential is good and keeps it, sealed. What is secret is asked for and not shown, or read " +
        "with --secrets; it is never taken from the command line. One that acts for the same subject is replaced. Without " +
        "--account it is the deployment's: every account may be served with it. Set the EARSHOT_DATA_DIR, EARSHOT_SECRET_KEY and " +
        "EARSHOT_UPSTREAM_PRIVATE_HOSTS of the server for this command too.",
    )
    .usage("<platform> <kind> [options] [--name value ...]")
    .argument("<platform>", "bluesky, mastodon or x")
    .argument("<kind>", "the kind of credential, see below")
    .argument("[values...]", "what the kind takes that is not secret, as --name value")
    .option(
      "--account <account>",
      "the account whose own it is: its id, its name, or its login such as github:ann",
    )
    .option("--secrets <file>", "read name=value lines of this file, - for standard input")
    .option("--json", "print it as a line of JSON")
    .allowUnknownOption()
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot credentials add bluesky app-password --identifier ann.bsky.social\n" +
        "  earshot credentials add x app-token --secrets - < token.txt",
    )
    .addHelpText("after", () => `\nKinds:${kindsText(kindsOf, Math.min(terminal.columns, 100))}`)
    .action(
      async (
        _platform: string,
        _kind: string,
        _values: string[],
        options: AddOptions,
        add: Command,
      ) => await addCredential(add.args, options, terminal, kindsOf),
    );
  credentials
    .command("list")
    .summary("list all credentials")
    .description(
      "Lists all credentials, oldest first, with the first characters of what is secret.",
    )
    .option("--json", "print one JSON object a line")
    .action((options: { json?: boolean }) => list(options, terminal));
  credentials
    .command("test")
    .summary("ask the platforms whether credentials work")
    .description(
      "Asks the platforms whether credentials work, with as little as shows it. One that works is released from quarantine, " +
        "one that is refused is quarantined. Ends with 1 when any does not work.",
    )
    .argument("[id]", "only this one, as credentials list shows it")
    .option("--json", "print one JSON object a line")
    .action(
      async (id: string | undefined, options: CheckOptions) =>
        await checkCredentials(id, options, terminal, kindsOf),
    );
  credentials
    .command("remove")
    .summary("forget a credential")
    .description(
      "Forgets a credential. The platform still takes it from whoever has it: end it there as well.",
    )
    .argument("<id>", "the credential's id, as credentials list shows it")
    .action((id: string) => remove(id, terminal));
}

function list({ json }: { json?: boolean }, terminal: Terminal): void {
  const listings = withControl(readConfig(terminal).data.dir, (control) =>
    control.run("listCredentials", null),
  );
  const nowMs = systemClock.now();
  if (json) {
    for (const one of listings) terminal.out(`${JSON.stringify(listingAsJson(one, nowMs))}\n`);
  } else if (listings.length === 0) {
    terminal.note("there is no credential yet – earshot credentials add PLATFORM KIND keeps one\n");
  } else {
    terminal.out(listingsAsTable(listings, nowMs, terminal));
  }
}

function remove(id: string, terminal: Terminal): void {
  const isRemoved = withControl(readConfig(terminal).data.dir, (control) =>
    control.run("dropCredential", {
      id,
      owner: null,
      actor: "command_line",
      nowMs: systemClock.now(),
    }),
  );
  if (!isRemoved) throw unknownCredential(id);
  terminal.out(`credential ${id} is removed\n`);
}
