import type { Command } from "commander";
import { systemClock } from "../../lib/clock.ts";
import { credentialKinds } from "../../server/roles/credential-kinds.ts";
import { unknownCredential } from "../../upstream/credentials/operations.ts";
import { withControl } from "../accounts/with-control.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { kindsText } from "./credential-kind-texts.ts";
import { type AddOptions, addCredential } from "./credentials-add.ts";
import { type CheckOptions, checkCredentials } from "./credentials-check.ts";
import { listingAsJson, listingsAsTable } from "./show-credential.ts";
import type { ListCredentialKinds } from "./with-credentials.ts";

export function addCredentialsCommand(
  program: Command,
  terminal: Terminal,
  listKinds: ListCredentialKinds = credentialKinds,
): void {
  const credentials = program
    .command("credentials")
    .description(
      "Stores, lists, tests and removes platform credentials (docs/credentials.md). A running server applies " +
        "changes from its next request.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "credentials requires a subcommand",
        "use credentials add, list, test or remove",
      );
    });
  credentials
    .command("add")
    .summary("test and store a credential")
    .description(
      "Tests a credential with its platform and stores it encrypted, replacing any credential for the same subject " +
        "(docs/credentials.md). Prompts for secrets, unless --secrets is given. Without --account, the credential " +
        "serves all accounts.",
    )
    .usage("<platform> <kind> [options] [--name value ...]")
    .argument("<platform>", "bluesky, mastodon or x")
    .argument("<kind>", "kind of credential (listed below)")
    .argument("[values...]", "public fields, as --name value")
    .option("--account <account>", "account that owns it: id, name or login (github:ann)")
    .option("--secrets <file>", "file of name=value lines; - for standard input")
    .option("--json", "print JSON")
    .allowUnknownOption()
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot credentials add bluesky app-password --identifier ann.bsky.social\n" +
        "  earshot credentials add x app-token --secrets - < token.txt",
    )
    .addHelpText("after", () => `\nKinds:${kindsText(listKinds, Math.min(terminal.columns, 100))}`)
    .action(
      async (
        _platform: string,
        _kind: string,
        _values: string[],
        options: AddOptions,
        add: Command,
      ) => await addCredential(add.args, options, terminal, listKinds),
    );
  credentials
    .command("list")
    .summary("list all credentials")
    .description(
      "Lists all credentials, oldest first, each with the first characters of its secret.",
    )
    .option("--json", "print NDJSON")
    .action((options: { json?: boolean }) => list(options, terminal));
  credentials
    .command("test")
    .summary("test credentials")
    .description(
      "Tests credentials with minimal requests, and quarantines rejected ones. Exits with 1 if any test fails.",
    )
    .argument("[id]", "id from credentials list")
    .option("--json", "print NDJSON")
    .action(
      async (id: string | undefined, options: CheckOptions) =>
        await checkCredentials(id, options, terminal, listKinds),
    );
  credentials
    .command("remove")
    .summary("delete a credential")
    .description("Deletes a credential. It stays valid on its platform: revoke it there too.")
    .argument("<id>", "id from credentials list")
    .action((id: string) => remove(id, terminal));
}

async function list({ json }: { json?: boolean }, terminal: Terminal): Promise<void> {
  const listings = await withControl(readConfig(terminal), (control) =>
    control.run("listCredentials", null),
  );
  const nowMs = systemClock.now();
  if (json) {
    for (const listing of listings)
      terminal.out(`${JSON.stringify(listingAsJson(listing, nowMs))}\n`);
  } else if (listings.length === 0) {
    terminal.note("no credentials yet – add one with earshot credentials add PLATFORM KIND\n");
  } else {
    terminal.out(listingsAsTable(listings, nowMs, terminal));
  }
}

async function remove(id: string, terminal: Terminal): Promise<void> {
  const isRemoved = await withControl(readConfig(terminal), (control) =>
    control.run("dropCredential", {
      id,
      owner: null,
      actor: "command_line",
      nowMs: systemClock.now(),
    }),
  );
  if (!isRemoved) throw unknownCredential(id);
  terminal.out(`credential ${id} removed\n`);
}
