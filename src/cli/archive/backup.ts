import { resolve } from "node:path";
import type { Command } from "commander";
import { backUp } from "../../archive/maintenance/back-up.ts";
import { systemClock } from "../../lib/clock.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { bytesText, numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { archiveFolder } from "./with-archive.ts";

export function addArchiveBackup(archive: Command, terminal: Terminal): void {
  archive
    .command("backup")
    .summary("back up the archive")
    .description(
      "Writes a consistent copy of the archive to a folder, while a server keeps writing. Without manifest.json, " +
        "which is written last, a folder is incomplete. API keys, jobs and results are not included: use earshot " +
        "control backup.",
    )
    .argument("<folder>", "new or empty folder, or an incomplete backup")
    .option("--json", "print JSON")
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
  const startMs = systemClock.elapsed();
  const reports = startReports(terminal, systemClock, "backup");
  try {
    const { files, posts, takenAt } = await backUp({
      folder: archiveFolder(config),
      target: folder,
      clock: systemClock,
      onProgress: (done, total) => reports.update({ done, total, detail: bytesText(total / 2) }),
      signal: terminal.stopSignal,
    });
    reports.end();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const seconds = (systemClock.elapsed() - startMs) / 1_000;
    terminal.out(
      options.json
        ? `${JSON.stringify({ folder: resolve(folder), taken_at: takenAt, posts, files: files.length, bytes, seconds })}\n`
        : `${folder}: ${numberText(posts)} posts as of ${takenAt} in ${numberText(files.length)} files, ${bytesText(bytes)}, in ${seconds.toFixed(1)} s\n`,
    );
  } finally {
    reports.end();
  }
}
