import { type Command, InvalidArgumentError } from "commander";
import {
  changeAccount,
  deleteAccount,
  listAccounts,
  type RequestedLimit,
  restoreAccount,
  showAccount,
  suspendAccount,
} from "./accounts-actions.ts";
import { wrongUse } from "./describe-error.ts";
import { wholeNumber } from "./parse-values.ts";
import type { Terminal } from "./terminal.ts";

const longestReason = 200;

export function addAccounts(program: Command, terminal: Terminal): void {
  const accounts = program
    .command("accounts")
    .description(
      "Lists, changes, suspends and deletes accounts, which are told by id, name, or provider and login (github:ann). Works beside a running server, which " +
        "refuses keys and sessions at once and ends jobs within a second.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "accounts needs to know what to do",
        "write accounts list, show, change, suspend, restore or delete",
      );
    });
  accounts
    .command("list")
    .summary("list all accounts")
    .description("Lists all accounts, newest first.")
    .option("--json", "print one JSON object a line")
    .action((options: { json?: boolean }) => listAccounts(options, terminal));
  accounts
    .command("show")
    .summary("show an account")
    .description("Shows an account: its role, limits, keys and when it was seen last.")
    .argument("<account>", "its id, its name, or its login such as github:ann")
    .option("--json", "print it as a line of JSON")
    .action((account: string, options: { json?: boolean }) =>
      showAccount(account, options, terminal),
    );
  accounts
    .command("change")
    .summary("change the role or the limits of an account")
    .description(
      "Changes the role or the limits of an account. An operator sees all accounts and the audit log on the dashboard; the last " +
        "one stays an operator. The limits are those of its keys that have none of their own.",
    )
    .argument("<account>", "its id, its name, or its login such as github:ann")
    .option("--role <role>", "member or operator", role)
    .option(
      "--requests-per-second <number>",
      "instead of EARSHOT_REQUESTS_PER_SECOND; default: that again",
      limit,
    )
    .option(
      "--submissions-per-minute <number>",
      "instead of EARSHOT_SUBMISSIONS_PER_MINUTE; default: that again",
      limit,
    )
    .addHelpText("after", "\nExample:\n  earshot accounts change github:ann --role operator")
    .action((account: string, options) => changeAccount(account, options, terminal));
  accounts
    .command("suspend")
    .summary("refuse an account until it is restored")
    .description(
      "Suspends an account: its keys are refused with 403, its sessions end, its jobs are cancelled. Nothing of it is removed.",
    )
    .argument("<account>", "its id, its name, or its login such as github:ann")
    .requiredOption("--reason <text>", "why, which operators are shown; 200 characters", reason)
    .action((account: string, options: { reason: string }) =>
      suspendAccount(account, options, terminal),
    );
  accounts
    .command("restore")
    .summary("let a suspended account in again")
    .description("Lets a suspended account in again; its keys work as before.")
    .argument("<account>", "its id, its name, or its login such as github:ann")
    .action((account: string) => restoreAccount(account, terminal));
  accounts
    .command("delete")
    .summary("remove everything that is kept of an account")
    .description(
      "Removes everything that is kept of an account: keys, sessions, jobs with results, webhooks, credentials, usage. Its jobs " +
        "end. A running server does it within a second; without one the command does it itself. There is no way back.",
    )
    .argument("<account>", "its id, its name, or its login such as github:ann")
    .option("--yes", "that it is meant")
    .action(
      async (account: string, options: { yes?: boolean }) =>
        await deleteAccount(account, options, terminal),
    );
}

function role(written: string): "member" | "operator" {
  if (written === "member" || written === "operator") return written;
  throw new InvalidArgumentError("There are member and operator.");
}

function limit(written: string): RequestedLimit {
  return written === "default" ? written : wholeNumber(1, 1_000_000)(written);
}

function reason(written: string): string {
  if (written.length <= longestReason) return written;
  throw new InvalidArgumentError(`It takes ${longestReason} characters at most.`);
}
