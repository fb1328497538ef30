import type { Command } from "commander";
import { addArchiveBackup } from "./archive/backup.ts";
import { addArchiveCheck } from "./archive/check.ts";
import { addForget } from "./archive/forget.ts";
import { addRecover } from "./archive/recover.ts";
import { addReindex } from "./archive/reindex.ts";
import { addRestore } from "./archive/restore.ts";
import { addSeal } from "./archive/seal.ts";
import { addStats } from "./archive/stats.ts";
import { wrongUse } from "./describe-error.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function addArchive(program: Command, terminal: Terminal): void {
  const archive = program
    .command("archive")
    .description(
      "Maintains the archive in the data folder (docs/operations.md). All commands except restore and recover can run " +
        "alongside a server.",
    )
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "archive requires a subcommand",
        "use archive stats, check, backup, restore, recover, forget, reindex or seal",
      );
    });
  for (const add of [
    addStats,
    addArchiveCheck,
    addArchiveBackup,
    addRestore,
    addRecover,
    addForget,
    addReindex,
    addSeal,
  ]) {
    add(archive, terminal);
  }
}
