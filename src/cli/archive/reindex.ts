import { type Command, Option } from "commander";
import {
  type RewriteOutcome,
  type RewriteSelection,
  requestRewrites,
  rewritePending,
  type SalvagedSegment,
} from "../../archive/maintenance/rewrite-pending.ts";
import { archiveDefaults } from "../../archive/settings.ts";
import { systemClock } from "../../lib/clock.ts";
import { isoText } from "../../lib/iso-time.ts";
import type { Config } from "../../server/config.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
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
  const startMs = systemClock.elapsed();
  const requestedCount = await requestRewrites(
    archiveFolder(config),
    selection,
    terminal.stopSignal,
  );
  const outcome = await rewriteWithProgress(config, terminal, "reindex");
  const seconds = (systemClock.elapsed() - startMs) / 1_000;
  if (options.json) {
    const { isQueued, segments, posts, salvaged, oldFilesRemoved } = outcome;
    const summary = {
      wanted: requestedCount,
      by: compactionProcess({ isQueued }),
      segments,
      posts,
      salvaged: salvaged.map(salvagedJson),
    };
    terminal.out(`${JSON.stringify({ ...summary, old_files_gone: oldFilesRemoved, seconds })}\n`);
  } else {
    const lines = [
      ...outcome.salvaged.flatMap(salvagedText),
      asText(outcome, requestedCount, seconds),
    ];
    terminal.out(`${lines.join("\n")}\n`);
  }
}

function asText(
  { isQueued, segments, posts }: RewriteOutcome,
  requestedCount: number,
  seconds: number,
): string {
  if (isQueued) {
    return requestedCount === 0
      ? "nothing to do: the running server reindexes segments of another analyzer"
      : `queued: the running server will rewrite ${segmentsText(requestedCount)}; earshot archive stats shows how many are left`;
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
      signal: terminal.stopSignal,
    });
  } finally {
    reports.end();
  }
}

/** Lost posts printed per segment; the list file contains all. */
const maxListedPosts = 10;

function salvagedText({ segment, posts, lost }: SalvagedSegment): string[] {
  const summary = `${segment} was damaged: ${numberText(posts)} posts salvaged`;
  const movedLine = "  the damaged file was moved to archive/orphaned";
  if (lost === null) return [`${summary}, none lost`, movedLine];
  const count = lost.isExact ? numberText(lost.count) : `at least ${numberText(lost.count)}`;
  const postLines = lost.posts
    .slice(0, maxListedPosts)
    .map(({ id, uri }) => (uri === null ? `  lost: post ${id}` : `  lost: post ${id}, ${uri}`));
  const unlistedCount = lost.posts.length - postLines.length;
  return [
    `${summary}, ${count} lost`,
    ...postLines,
    ...(unlistedCount > 0 ? [`  … and ${numberText(unlistedCount)} more`] : []),
    ...(lost.listPath === null ? [] : [`  listed in ${lost.listPath}`]),
    ...lost.spans.map((span) => `  no longer covered: ${spanText(span)}`),
    movedLine,
  ];
}

const spanText = ({ fromMs, toMs }: { fromMs: number | null; toMs: number }): string =>
  `${fromMs === null ? "the beginning" : isoText(fromMs)} to ${isoText(toMs)}`;

const salvagedJson = ({ segment, posts, lost }: SalvagedSegment) => ({
  segment,
  posts,
  lost: lost?.count ?? 0,
  lost_is_exact: lost?.isExact ?? true,
  lost_list: lost?.listPath ?? null,
  gaps: (lost?.spans ?? []).map(({ fromMs, toMs }) => ({
    from: fromMs === null ? null : isoText(fromMs),
    to: isoText(toMs),
  })),
});
