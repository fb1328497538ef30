import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { openArchive } from "../../archive/threads/open.ts";
import { startImportThreads } from "../../ingest/analysis/import-threads.ts";
import { type ImportSummary, importFile } from "../../ingest/import/import-file.ts";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { Config } from "../../server/config.ts";
import { sealedJson, sealedText, sealWithProgress } from "../archive/seal.ts";
import { wrongUse } from "../describe-error.ts";
import { timeSpan } from "../parse-values.ts";
import { readConfig } from "../settings.ts";
import { startProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  authorHandle,
  columnMap,
  formatNames,
  type ImportFormatOptions,
  importFormat,
} from "./import-format.ts";

type Options = ImportFormatOptions & {
  covers?: { fromMs: number; toMs: number };
  strict?: boolean;
  json?: boolean;
};

export function addImport(program: Command, terminal: Terminal): void {
  program
    .command("import")
    .description(
      "Imports posts from files (docs/import.md), without duplicates. Can be interrupted and repeated, even " +
        "while a server runs. Rejected records are reported and written to FILE.rejected.",
    )
    .argument("<file...>", "the files; - for standard input")
    .addOption(
      new Option(
        "--platform <name>",
        "platform of the posts, unless the format implies it",
      ).choices([...platforms]),
    )
    .addOption(
      new Option("--format <name>", "format of the files")
        .choices([...formatNames])
        .default("ndjson"),
    )
    .addOption(
      new Option(
        "--columns <field=column,...>",
        "csv: columns of fields with other names",
      ).argParser(columnMap),
    )
    .addOption(
      new Option(
        "--author <handle>",
        "csv, x-archive, bluesky-car: author, if not in the files",
      ).argParser(authorHandle),
    )
    .addOption(
      new Option("--covers <from..to>", "the files contain all posts of this time range").argParser(
        timeSpan,
      ),
    )
    .option("--strict", "stop at the first bad line (exit 1)")
    .option("--json", "print a line of JSON for each file and for sealing")
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot import posts.ndjson.gz --platform x\n" +
        "  earshot import posts.csv --platform mastodon --format csv --columns text=body,created_at=date\n" +
        "  zcat *.gz | earshot import - --platform bluesky",
    )
    .action((files: string[], options: Options) => importFiles(files, options, terminal));
}

async function importFiles(
  files: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<void> {
  if (options.covers !== undefined) refuseFuture(options.covers.toMs);
  const config = readConfig(terminal);
  const { platform, format } = importFormat(options, config.backfill.maxRepositoryBytes);
  const { dir, ...settings } = config.data;
  const archive = await openArchive({ dataDir: dir, ...settings, clock: systemClock });
  const analysis = startImportThreads(archive.preparation, availableParallelism());
  let totalRejected = 0;
  let currentFile = "";
  const filesWithoutPosts: string[] = [];
  // An idle pipe would block the shutdown.
  terminal.stopSignal.addEventListener("abort", () => process.stdin.destroy(), { once: true });
  try {
    for (const [index, file] of files.entries()) {
      const isLast = index === files.length - 1;
      const reports = startFileReports(file, terminal);
      currentFile = file;
      try {
        const summary = await importFile({
          archive,
          analysis,
          clock: systemClock,
          file,
          standardInput: process.stdin,
          platform,
          format,
          dataDir: dir,
          // `--covers` applies to all files together, so the import of the last file records it.
          covers: isLast && totalRejected === 0 ? (options.covers ?? null) : null,
          onBadLine: options.strict ? "stop" : "reject",
          limits: config.import,
          onProgress: reports.onProgress,
          onRejected: reports.onRejected,
          signal: terminal.stopSignal,
        });
        totalRejected += summary.totalRejected;
        reports.end();
        terminal.out(options.json ? asJson(file, summary) : asText(file, summary));
        if (hasNoPost(summary)) filesWithoutPosts.push(file);
      } finally {
        reports.end();
      }
    }
    await archive.finishImport();
    if (filesWithoutPosts.length > 0) throw noPostsError(filesWithoutPosts);
    if (options.covers !== undefined && totalRejected > 0) {
      terminal.note(
        `earshot: --covers was not recorded, because ${totalRejected === 1 ? "1 line was" : `${totalRejected.toLocaleString("en")} lines were`} rejected – fix them in the files and run the command again\n`,
      );
    }
  } catch (thrown) {
    // Stores the posts that were already read.
    await archive.finishImport().catch(() => {});
    throw terminal.stopSignal.aborted
      ? interruption(terminal.stopSignal.reason, currentFile)
      : thrown;
  } finally {
    await analysis.close();
    await archive.close();
  }
  await sealImported(config, { platform, json: options.json === true }, terminal);
}

/** A failure is only noted, because compaction can seal the segments later. */
async function sealImported(
  config: Config,
  { platform, json }: { platform: Platform; json: boolean },
  terminal: Terminal,
): Promise<void> {
  try {
    const outcome = await sealWithProgress(config, terminal, { platform });
    const text = sealedText(outcome);
    if (text === null) return;
    terminal.out(json ? `{"sealed":${sealedJson(outcome)}}\n` : `${text}\n`);
  } catch (thrown) {
    if (terminal.stopSignal.aborted) throw thrown;
    terminal.note(
      `earshot: the import succeeded, but sealing failed: ${errorMessage(thrown)} – retry with earshot archive seal\n`,
    );
  }
}

/** If so, the format is most likely wrong. */
const hasNoPost = ({ imported, updated, unchanged, rejected }: ImportSummary): boolean =>
  rejected > 0 && imported + updated + unchanged === 0;

function noPostsError(files: readonly string[]): EarshotError {
  return new EarshotError("import_rejected", `${files.join(", ")}: no valid posts`, {
    hint: 'check --format; NDJSON has one JSON object per line, such as {"author":"ann","created_at":"2026-01-31T12:00:00Z","text":"…"} (docs/import.md)',
  });
}

function refuseFuture(toMs: number): void {
  if (toMs <= systemClock.now()) return;
  throw wrongUse(
    `--covers ends in the future, at ${isoTime(toMs)}`,
    "use a TO no later than the time at which the files were created",
  );
}

export function interruption(reason: unknown, file: string): unknown {
  if (file !== "-") return reason;
  return new EarshotError("interrupted", errorMessage(reason), {
    hint: "send the input again from its start; posts already imported are not duplicated",
  });
}

/** Rejections shown per file on a terminal; a pipe receives all. */
const maxShownRejections = 20;

function startFileReports(file: string, terminal: Terminal) {
  const progress = startProgress(terminal, file);
  const pendingLines: string[] = [];
  let count = 0;
  let isEnded = false;
  return {
    onProgress: (state: { posts: number; bytesRead: number; totalBytes: number | null }) =>
      progress.update(
        state.bytesRead,
        state.totalBytes,
        `${state.posts.toLocaleString("en")} posts`,
      ),
    onRejected: (rejection: { file: string; line: number; reason: string }) => {
      const line = `${stripControls(`${rejection.file}:${rejection.line}: ${rejection.reason}`)}\n`;
      count += 1;
      if (!terminal.interactiveNotes) terminal.note(line);
      else if (count <= maxShownRejections) pendingLines.push(line);
    },
    end: () => {
      if (isEnded) return;
      isEnded = true;
      progress.end();
      for (const line of pendingLines) terminal.note(line);
      if (count > pendingLines.length && pendingLines.length > 0) {
        terminal.note(`… and ${count - pendingLines.length} more\n`);
      }
    },
  };
}

function asJson(file: string, summary: ImportSummary): string {
  const ignoredFields = Object.fromEntries(summary.ignoredFields);
  return `${JSON.stringify({
    file,
    already_imported: summary.alreadyImported,
    resumed_after_lines: summary.resumedAfterLines,
    imported: summary.imported,
    updated: summary.updated,
    unchanged: summary.unchanged,
    rejected: summary.rejected,
    rejected_file: summary.rejectedFile,
    ignored_fields: ignoredFields,
    left_out: Object.fromEntries(summary.skipped),
    coverage: summary.coverage,
    seconds: summary.seconds,
  })}\n`;
}

function asText(name: string, summary: ImportSummary): string {
  const file = stripControls(name);
  if (summary.alreadyImported) {
    return `${file}: already imported${coverageText(summary)}\n`;
  }
  const formatNumber = (value: number) => value.toLocaleString("en");
  const lines = [
    `${file}: ${formatNumber(summary.imported)} imported, ${formatNumber(summary.updated)} updated, ` +
      `${formatNumber(summary.unchanged)} unchanged, ${formatNumber(summary.rejected)} rejected ` +
      `in ${summary.seconds.toFixed(1)} s${coverageText(summary)}`,
  ];
  if (summary.resumedAfterLines > 0) {
    lines.push(`  resumed after line ${formatNumber(summary.resumedAfterLines)}`);
  }
  if (summary.rejectedFile !== null)
    lines.push(`  rejected lines are in ${stripControls(summary.rejectedFile)}`);
  if (summary.skipped.size > 0) {
    const reasons = [...summary.skipped].map(
      ([reason, times]) => `${formatNumber(times)} ${reason}`,
    );
    lines.push(`  not imported: ${reasons.join(", ")}`);
  }
  if (summary.ignoredFields.size > 0) {
    const names = [...summary.ignoredFields].map(
      ([name, times]) => `${name} (${formatNumber(times)})`,
    );
    lines.push(`  ignored fields: ${stripControls(names.join(", "))}`);
  }
  return `${lines.join("\n")}\n`;
}

function coverageText({ coverage }: ImportSummary): string {
  return coverage === "added" ? "; coverage recorded" : "";
}
