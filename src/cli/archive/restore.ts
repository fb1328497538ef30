import { resolve } from "node:path";
import type { Command } from "commander";
import { restore } from "../../archive/maintenance/restore.ts";
import { systemClock } from "../../lib/clock.ts";
import { readConfig } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { bytesText, numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";

export function addRestore(archive: Command, terminal: Terminal): void {
  archive
    .command("restore")
    .summary("restore a backup")
    .description(
      "Restores a backup into a data folder without an archive or a running server, and verifies each file.",
    )
    .argument("<folder>", "the backup folder")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExample:\n  EARSHOT_DATA_DIR=/srv/earshot earshot archive restore /mnt/backups/2026-11-21",
    )
    .action((folder: string, options: { json?: boolean }) =>
      restoreArchive(folder, options, terminal),
    );
}

async function restoreArchive(
  folder: string,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { dir } = readConfig(terminal).data;
  const startMs = systemClock.elapsed();
  const reports = startReports(terminal, systemClock, "restore");
  try {
    const { files, posts, takenAt } = await restore({
      source: folder,
      dataDir: dir,
      onProgress: (done, total) => reports.update({ done, total, detail: bytesText(total) }),
      signal: terminal.stopSignal,
    });
    reports.end();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const seconds = (systemClock.elapsed() - startMs) / 1_000;
    terminal.out(
      options.json
        ? `${JSON.stringify({ data_folder: resolve(dir), taken_at: takenAt, posts, files: files.length, bytes, seconds })}\n`
        : `${dir}: ${numberText(posts)} posts as of ${takenAt}, ${bytesText(bytes)}, in ${seconds.toFixed(1)} s\n`,
    );
  } finally {
    reports.end();
  }
}
