import type { Command } from "commander";
import { addControlBackup } from "./control/backup.ts";
import { addControlCheck } from "./control/check.ts";
import { addCopy } from "./control/copy.ts";
import { wrongUse } from "./describe-error.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function addControl(program: Command, terminal: Terminal): void {
  const control = program
    .command("control")
    .description(
      "Maintains the control store: accounts, API keys, jobs, results, webhooks (docs/operations.md).",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse("control requires a subcommand", "use control backup, check or copy");
    });
  for (const add of [addControlBackup, addControlCheck, addCopy]) add(control, terminal);
}
