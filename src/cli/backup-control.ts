import type { Command } from "commander";
import { backUpControl } from "../server/back-up-control.ts";
import { bytesText } from "./quantities.ts";
import { readConfig } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

export function addBackupControl(program: Command, terminal: Terminal): void {
  program
    .command("backup-control")
    .description(
      "Copies control.db (accounts, API keys, jobs, results, webhooks) as it is at this moment into a file, while a server " +
        "goes on writing, and its SHA-256 into a file beside it. The archive has a command of its own, earshot archive backup. The secret key is not in it " +
        "(docs/operations.md).",
    )
    .argument("<file>", "where the copy goes: a file that does not exist")
    .addHelpText(
      "after",
      "\nExample:\n  earshot backup-control /mnt/backups/control-$(date +%F).db",
    )
    .action(async (file: string) => {
      const bytes = await backUpControl(readConfig(terminal).data.dir, file);
      terminal.out(`${file}: ${bytesText(bytes)}\n`);
    });
}
