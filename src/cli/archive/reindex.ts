import { type Command, Option } from "commander";
import {
  type RewriteOutcome,
  requestRewrites,
  rewritePending,
  type WhichSegments,
} from "../../archive/maintenance/rewrite-pending.ts";
import { archiveDefaults } from "../../archive/settings.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Config } from "../../server/config.ts";
import { startReports } from "../progress-reports.ts";
import { numberText } from "../quantities.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import type { Terminal } from "../terminal.ts";
import { salvagedJson, salvagedText } from "./show-salvaged.ts";
import { archiveFolder } from "./with-archive.ts";

type Options = { all?: boolean; segment?: string; json?: boolean };

export function addReindex(archive: Command, terminal: Terminal): void {
  archive
    .command("reindex")
    .summary("make segments anew from their posts")
    .description(
      "Makes the index of segments anew that another analyzer or another Unicode made, after an upgrade; they are searched " +
        "post by post until then. Works while the archive is searched and written, takes about half a minute for a million " +
        "posts, and may be stopped: the next run goes on. A running server does the same by itself; beside one the command " +
        "notes what it is to do. A damaged segment that is named with --segment is made again from every post that can still be " +
        "read: what is lost is listed and becomes a gap of the coverage, and the damaged file is moved to archive/orphaned.",
    )
    .option("--all", "every segment, whatever made it")
    .addOption(
      new Option(
        "--segment <name>",
        "one segment, as check names it: x/3; damaged posts are left out",
      ).conflicts("all"),
    )
    .option("--json", "print a summary as a line of JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  earshot archive reindex\n  earshot archive reindex --segment bluesky/7",
    )
    .action((options: Options) => reindex(options, terminal));
}

async function reindex(options: Options, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const which: WhichSegments =
    options.segment !== undefined ? { segment: options.segment } : options.all ? "all" : "outdated";
  const startedMs = systemClock.elapsed();
  const requested = await requestRewrites(archiveFolder(config), which, terminal.stopping);
  const outcome = await rewriteWithProgress(config, terminal, "reindex");
  const seconds = (systemClock.elapsed() - startedMs) / 1_000;
  if (options.json) {
    const { by, segments, posts, salvaged, oldFilesGone } = outcome;
    const summary = {
      wanted: requested,
      by,
      segments,
      posts,
      salvaged: salvaged.map(salvagedJson),
    };
    terminal.out(`${JSON.stringify({ ...summary, old_files_gone: oldFilesGone, seconds })}\n`);
  } else {
    const lines = [...outcome.salvaged.flatMap(salvagedText), asText(outcome, requested, seconds)];
    terminal.out(`${lines.join("\n")}\n`);
  }
}

function asText(
  { by, segments, posts }: RewriteOutcome,
  requested: number,
  seconds: number,
): string {
  if (by === "elsewhere") {
    return requested === 0
      ? "nothing to do: the running server sees to segments of another analyzer"
      : `noted: the running server rewrites ${segmentsText(requested)}; earshot archive stats tells how many are left`;
  }
  if (segments === 0) return "nothing to do: every segment was made by the present analyzer";
  return `${segmentsText(segments)} with ${numberText(posts)} posts made anew in ${seconds.toFixed(1)} s`;
}

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
