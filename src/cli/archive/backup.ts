import { resolve } from "node:path";
import type { Command } from "commander";
import { backUp } from "../../archive/maintenance/back-up.ts";
import { systemClock } from "../../lib/clock.ts";
import { startReports } from "../progress-reports.ts";
import { bytesText, numberText } from "../quantities.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import type { Terminal } from "../terminal.ts";
import { archiveFolder } from "./with-archive.ts";

export function addBackup(archive: Command, terminal: Terminal): void {
  archive
    .command("backup")
    .summary("copy the archive as it is now, also while it is written")
    .description(
      "Copies the archive as it is at this moment into a folder of its own, while a server goes on writing. The folder holds " +
        "the archive's files and manifest.json with their SHA-256, which is written last: without it the backup is not " +
        "whole. API keys, jobs and results are no part of it: earshot backup-control copies them (docs/operations.md).",
    )
    .argument(
      "<folder>",
      "where the backup goes: a new or empty folder, or one that an earlier try left",
    )
    .option("--json", "print a summary as a line of JSON")
    .addHelpText("after", "\nExample:\n  earshot archive backup /mnt/backups/$(date +%F)")
    .action((folder: string, options: { json?: boolean }) => backup(folder, options, terminal));
}

async function backup(
  folder: string,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const startedMs = systemClock.elapsed();
  const reports = startReports(terminal, systemClock, "backup");
  try {
    const { files, posts, takenAt } = await backUp({
      folder: archiveFolder(config),
      target: folder,
      clock: systemClock,
      onProgress: (done, total) => reports.update({ done, total, detail: bytesText(total / 2) }),
      signal: terminal.stopping,
    });
    reports.end();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const seconds = (systemClock.elapsed() - startedMs) / 1_000;
    terminal.out(
      options.json
        ? `${JSON.stringify({ folder: resolve(folder), taken_at: takenAt, posts, files: files.length, bytes, seconds })}\n`
        : `${folder}: ${numberText(posts)} posts of ${takenAt} in ${numberText(files.length)} files, ${bytesText(bytes)}, in ${seconds.toFixed(1)} s\n`,
    );
  } finally {
    reports.end();
  }
}
