import { type Command, InvalidArgumentError } from "commander";
import { wrongUse } from "../describe-error.ts";
import { parseWholeNumber } from "../parse-values.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  changeAccount,
  deleteNamedAccount,
  printAccounts,
  type RequestedLimit,
  restoreAccount,
  showAccount,
  suspendAccount,
} from "./accounts-actions.ts";

const maxReasonLength = 200;

export function addAccounts(program: Command, terminal: Terminal): void {
  const accounts = program
    .command("accounts")
    .description(
      "Lists, changes, suspends and deletes accounts. A running server applies changes within a second.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "accounts requires a subcommand",
        "use accounts list, show, change, suspend, restore or delete",
      );
    });
  accounts
    .command("list")
    .summary("list all accounts")
    .description("Lists all accounts, newest first.")
    .option("--json", "print NDJSON")
    .action((options: { json?: boolean }) => printAccounts(options, terminal));
  accounts
    .command("show")
    .summary("show an account")
    .description("Shows an account: its role, limits, keys and last use.")
    .argument("<account>", "id, name or login (github:ann)")
    .option("--json", "print JSON")
    .action((account: string, options: { json?: boolean }) =>
      showAccount(account, options, terminal),
    );
  accounts
    .command("change")
    .summary("change an account's role or limits")
    .description(
      "Changes an account's role or limits. The limits apply to keys that have none of their own.",
    )
    .argument("<account>", "id, name or login (github:ann)")
    .option("--role <role>", "member or operator", parseRole)
    .option(
      "--requests-per-second <number>",
      "overrides EARSHOT_REQUESTS_PER_SECOND; 'default' resets it",
      parseLimit,
    )
    .option(
      "--submissions-per-minute <number>",
      "overrides EARSHOT_SUBMISSIONS_PER_MINUTE; 'default' resets it",
      parseLimit,
    )
    .addHelpText("after", "\nExample:\n  earshot accounts change github:ann --role operator")
    .action((account: string, options) => changeAccount(account, options, terminal));
  accounts
    .command("suspend")
    .summary("suspend an account")
    .description(
      "Suspends an account: its keys get 403, its sessions end, its jobs are cancelled. Nothing is deleted.",
    )
    .argument("<account>", "id, name or login (github:ann)")
    .requiredOption("--reason <text>", "reason for operators, up to 200 characters", parseReason)
    .action((account: string, options: { reason: string }) =>
      suspendAccount(account, options, terminal),
    );
  accounts
    .command("restore")
    .summary("end a suspension")
    .description("Ends an account's suspension; its keys are valid again.")
    .argument("<account>", "id, name or login (github:ann)")
    .action((account: string) => restoreAccount(account, terminal));
  accounts
    .command("delete")
    .summary("delete an account and its data")
    .description(
      "Deletes an account with its keys, sessions, jobs, results, webhooks, credentials and usage, permanently.",
    )
    .argument("<account>", "id, name or login (github:ann)")
    .option("--yes", "confirm the deletion")
    .action(
      async (account: string, options: { yes?: boolean }) =>
        await deleteNamedAccount(account, options, terminal),
    );
}

function parseRole(text: string): "member" | "operator" {
  if (text === "member" || text === "operator") return text;
  throw new InvalidArgumentError("It must be member or operator.");
}

function parseLimit(text: string): RequestedLimit {
  return text === "default" ? text : parseWholeNumber(1, 1_000_000)(text);
}

function parseReason(text: string): string {
  if (text.length <= maxReasonLength) return text;
  throw new InvalidArgumentError(`It must be at most ${maxReasonLength} characters long.`);
}
