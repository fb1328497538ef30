import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { type RecoverReport, recover } from "../../archive/maintenance/recover/recover.ts";
import { archiveDefaults } from "../../archive/settings.ts";
import { systemClock } from "../../lib/clock.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { segmentsText } from "./reindex.ts";

type Options = { force?: boolean; json?: boolean };

export function addRecover(archive: Command, terminal: Terminal): void {
  archive
    .command("recover")
    .summary("rebuild the catalog from the segments")
    .description(
      "Rebuilds a catalog that is missing, damaged, older than its segments or from another archive " +
        "(docs/operations.md). Nothing else may use the data folder. All posts are recovered, and deleted posts stay " +
        "deleted; coverage and pending counts are lost.",
    )
    .option("--force", "rebuild the catalog even if it is intact")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  earshot archive recover && earshot archive check")
    .action((options: Options) => recoverArchive(options, terminal));
}

async function recoverArchive(options: Options, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const { dir, ...settings } = config.data;
  const startMs = systemClock.elapsed();
  const reports = startReports(terminal, systemClock, "recover");
  try {
    const report = await recover({
      dataDir: dir,
      isForced: options.force === true,
      retainedIngestNumbers:
        settings.retainedIngestNumbers ?? archiveDefaults.retainedIngestNumbers,
      onProgress: (done, total) =>
        reports.update({ done, total, detail: `${numberText(done)} posts` }),
      signal: terminal.stopSignal,
    });
    reports.end();
    const seconds = (systemClock.elapsed() - startMs) / 1_000;
    terminal.out(
      options.json ? `${JSON.stringify(asJson(report, seconds))}\n` : asText(report, dir, seconds),
    );
  } finally {
    reports.end();
  }
}

const formatName = ({ platform, sequence }: { platform: string; sequence: number }): string =>
  `${platform}/${sequence}`;

function asText(report: RecoverReport, dir: string, seconds: number): string {
  const { segments, posts, deletions, former, copiedTables, unused, unreadable, damaged } = report;
  const lines = [
    `${segmentsText(segments)} with ${numberText(posts)} posts recovered, ${numberText(deletions)} deletions preserved, in ${seconds.toFixed(1)} s`,
  ];
  for (const file of unused)
    lines.push(`${formatName(file)} moved to archive/orphaned: ${file.reason}`);
  if (unreadable > 0) {
    lines.push(`${numberText(unreadable)} unreadable rows; earshot archive check lists them`);
  }
  for (const name of damaged) lines.push(`${name}: some of its deletions are unreadable`);
  if (former !== null) lines.push(`the former catalog was moved to ${relative(dir, former)}`);
  if (copiedTables.length > 0) lines.push(`copied from it: ${copiedTables.join(", ")}`);
  lines.push(
    "lost: coverage and pending counts; run earshot backfill to fetch what the sources still have",
  );
  return `${lines.join("\n")}\n`;
}

const asJson = (report: RecoverReport, seconds: number): Record<string, unknown> => ({
  segments: report.segments,
  posts: report.posts,
  deletions: report.deletions,
  unreadable_rows: report.unreadable,
  damaged_segments: report.damaged,
  set_aside: report.unused.map((file) => ({ segment: formatName(file), reason: file.reason })),
  former_catalog: report.former === null ? null : resolve(report.former),
  taken_over: report.copiedTables,
  seconds,
});
