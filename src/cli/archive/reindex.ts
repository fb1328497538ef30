import { type Command, Option } from "commander";
import {
  type RewriteOutcome,
  type RewriteSelection,
  requestRewrites,
  rewritePending,
} from "../../archive/maintenance/rewrite-pending.ts";
import { archiveDefaults } from "../../archive/settings.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Config } from "../../server/config.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { salvagedJson, salvagedText } from "./show-salvaged.ts";
import { archiveFolder } from "./with-archive.ts";

type Options = { all?: boolean; segment?: string; json?: boolean };

export function addReindex(archive: Command, terminal: Terminal): void {
  archive
    .command("reindex")
    .summary("rebuild segments from their posts")
    .description(
      "Rebuilds the index of segments made by another analyzer or Unicode version, about half a minute per " +
        "million posts. A running server does this by itself; the command then only queues the work. --segment " +
        "also salvages a damaged segment.",
    )
    .option("--all", "every segment")
    .addOption(
      new Option("--segment <name>", "one segment, such as x/3; omits damaged posts").conflicts(
        "all",
      ),
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  earshot archive reindex\n  earshot archive reindex --segment bluesky/7",
    )
    .action((options: Options) => reindex(options, terminal));
}

async function reindex(options: Options, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const selection: RewriteSelection =
    options.segment !== undefined ? { segment: options.segment } : options.all ? "all" : "outdated";
  const startedMs = systemClock.elapsed();
  const requested = await requestRewrites(archiveFolder(config), selection, terminal.stopping);
  const outcome = await rewriteWithProgress(config, terminal, "reindex");
  const seconds = (systemClock.elapsed() - startedMs) / 1_000;
  if (options.json) {
    const { isQueued, segments, posts, salvaged, oldFilesRemoved } = outcome;
    const summary = {
      wanted: requested,
      by: compactionProcess({ isQueued }),
      segments,
      posts,
      salvaged: salvaged.map(salvagedJson),
    };
    terminal.out(`${JSON.stringify({ ...summary, old_files_gone: oldFilesRemoved, seconds })}\n`);
  } else {
    const lines = [...outcome.salvaged.flatMap(salvagedText), asText(outcome, requested, seconds)];
    terminal.out(`${lines.join("\n")}\n`);
  }
}

function asText(
  { isQueued, segments, posts }: RewriteOutcome,
  requested: number,
  seconds: number,
): string {
  if (isQueued) {
    return requested === 0
      ? "nothing to do: the running server reindexes segments of another analyzer"
      : `queued: the running server rewrites ${segmentsText(requested)}; earshot archive stats shows how many are left`;
  }
  if (segments === 0) return "nothing to do: all segments use the current analyzer";
  return `${segmentsText(segments)} with ${numberText(posts)} posts rewritten in ${seconds.toFixed(1)} s`;
}

export const compactionProcess = ({ isQueued }: { isQueued: boolean }): "here" | "elsewhere" =>
  isQueued ? "elsewhere" : "here";

export const segmentsText = (count: number): string =>
  count === 1 ? "1 segment" : `${numberText(count)} segments`;

export async function rewriteWithProgress(
  config: Config,
  terminal: Terminal,
  title: string,
): Promise<RewriteOutcome> {
  const reports = startReports(terminal, systemClock, title);
  try {
    return await rewritePending({
      folder: archiveFolder(config),
      bounds: { ...archiveDefaults, ...config.data },
      clock: systemClock,
      onProgress: (done, total) =>
        reports.update({ done, total, detail: `${numberText(total)} posts` }),
      signal: terminal.stopping,
    });
  } finally {
    reports.end();
  }
}
