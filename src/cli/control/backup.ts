import type { Command } from "commander";
import { backUpControl } from "../../server/control/back-up-control.ts";
import { readConfig } from "../settings.ts";
import { bytesText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { controlFilePath } from "./control-file.ts";

export function addControlBackup(control: Command, terminal: Terminal): void {
  control
    .command("backup")
    .summary("back up control.db")
    .description(
      "Writes a consistent copy of control.db, while a server keeps writing, and its SHA-256 to a file next " +
        "to it. The archive and the secret key are not included (docs/operations.md).",
    )
    .argument("<file>", "path of a new file")
    .addHelpText(
      "after",
      "\nExample:\n  earshot control backup /mnt/backups/control-$(date +%F).db",
    )
    .action(async (file: string) => {
      const bytes = await backUpControl(controlFilePath(readConfig(terminal)), file);
      terminal.out(`${file}: ${bytesText(bytes)}\n`);
    });
}
