import type { Command } from "commander";
import { type CheckReport, check } from "../../archive/maintenance/check.ts";
import { type Finding, findingRemedy } from "../../archive/maintenance/findings.ts";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { segmentsText } from "./reindex.ts";
import { archiveFolder } from "./with-archive.ts";

type Options = { full?: boolean; json?: boolean };

/** Number of posts compared per segment without `--full`. */
const sampleRows = 500;

export function addArchiveCheck(archive: Command, terminal: Terminal): void {
  archive
    .command("check")
    .summary("verify the archive")
    .description(
      `Verifies files, catalog, posts, and the index against ${sampleRows} posts of each segment. Writes nothing. Exits ` +
        "with 1 if there are findings; each names its fix.",
    )
    .option("--full", "compare all posts; takes about a minute for two million")
    .option("--json", "print the report as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot archive check\n" +
        "  earshot archive check --full --json | jq '.findings[] | {kind, segment, todo}'",
    )
    .action((options: Options) => checkArchive(options, terminal));
}

async function checkArchive(options: Options, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const startMs = systemClock.elapsed();
  const reports = startReports(terminal, systemClock, "check");
  try {
    const report = await check({
      folder: archiveFolder(config),
      isFull: options.full === true,
      sampleRows,
      onProgress: (done, total) =>
        reports.update({ done, total, detail: `${numberText(done)} posts` }),
      signal: terminal.stopSignal,
    });
    reports.end();
    const seconds = (systemClock.elapsed() - startMs) / 1_000;
    terminal.out(
      options.json ? `${JSON.stringify(asJson(report, seconds))}\n` : asText(report, seconds),
    );
    if (report.findingCount > 0) throw unsoundError(report.findingCount);
  } finally {
    reports.end();
  }
}

function unsoundError(count: number): EarshotError {
  const findings = count === 1 ? "1 finding" : `${numberText(count)} findings`;
  return new EarshotError("archive_unsound", `the archive is inconsistent: ${findings}`, {
    hint: "apply the fix listed with each; see docs/operations.md",
  });
}

function asText(report: CheckReport, seconds: number): string {
  const lines = report.findings.flatMap((finding) => [
    stripControls(finding.message),
    `  → ${stripControls(findingRemedy(finding))}`,
  ]);
  const unlistedCount = report.findingCount - report.findings.length;
  if (unlistedCount > 0) lines.push(`… and ${numberText(unlistedCount)} more of the same kinds`);
  if (report.outdated.length > 0) {
    lines.push(
      `the index of ${report.outdated.join(", ")} was not checked, because another analyzer built it – run earshot archive reindex`,
    );
  }
  lines.push(
    `${segmentsText(report.segments)} and ${numberText(report.posts)} posts checked, ${numberText(report.indexed)} of them against the index: ` +
      `${report.findingCount === 0 ? "no findings" : `${numberText(report.findingCount)} findings`}, in ${seconds.toFixed(1)} s`,
  );
  return `${lines.join("\n")}\n`;
}

function asJson(report: CheckReport, seconds: number): Record<string, unknown> {
  return {
    sound: report.findingCount === 0,
    segments: report.segments,
    posts: report.posts,
    posts_compared_with_index: report.indexed,
    outdated_segments: report.outdated,
    finding_count: report.findingCount,
    findings: report.findings.map(findingJson),
    seconds,
  };
}

const findingJson = (finding: Finding): Record<string, unknown> => ({
  kind: finding.kind,
  segment: finding.segment,
  id: finding.id === null ? null : String(finding.id),
  uri: finding.uri,
  message: finding.message,
  todo: findingRemedy(finding),
});
