import type { Command } from "commander";
import {
  type SealOutcome,
  type SealSelection,
  sealPending,
} from "../../archive/maintenance/seal-pending.ts";
import { archiveDefaults } from "../../archive/settings.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Config } from "../../server/config.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import { numberText } from "../terminal/quantities.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { compactionProcess, segmentsText } from "./reindex.ts";
import { archiveFolder } from "./with-archive.ts";

type Options = { segment?: string; json?: boolean };

export function addSeal(archive: Command, terminal: Terminal): void {
  archive
    .command("seal")
    .summary("build the sealed index of segments")
    .description(
      "Builds the smaller and faster sealed index for segments that have none or have changed much since " +
        "(docs/sealed-index.md). A running server does this by itself; the command then only queues the work.",
    )
    .option("--segment <name>", "one segment, such as x/3, of any size and age")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  earshot archive seal\n  earshot archive seal --segment bluesky/7",
    )
    .action((options: Options) => seal(options, terminal));
}

async function seal({ segment, json }: Options, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const selection: SealSelection = segment === undefined ? { platform: "all" } : { segment };
  const outcome = await sealWithProgress(config, terminal, selection);
  terminal.out(json ? `${sealedJson(outcome)}\n` : `${asText(outcome, config)}\n`);
}

function asText(outcome: TimedOutcome, config: Config): string {
  if (config.data.seal === "off") return "nothing to do: EARSHOT_SEAL is off";
  return sealedText(outcome) ?? "nothing to do: no segment is worth sealing";
}

export function sealedText({
  requested,
  isQueued,
  segments,
  posts,
  seconds,
}: TimedOutcome): string | null {
  if (requested === 0) return null;
  if (isQueued) {
    return `queued: the running server will seal ${segmentsText(requested)}; earshot archive stats shows how many are left`;
  }
  return `${segmentsText(segments)} with ${numberText(posts)} posts sealed in ${seconds.toFixed(1)} s`;
}

export const sealedJson = ({
  requested,
  isQueued,
  segments,
  posts,
  oldFilesRemoved,
  seconds,
}: TimedOutcome): string =>
  JSON.stringify({
    wanted: requested,
    by: compactionProcess({ isQueued }),
    segments,
    posts,
    old_files_gone: oldFilesRemoved,
    seconds,
  });

export type TimedOutcome = SealOutcome & { seconds: number };

export async function sealWithProgress(
  config: Config,
  terminal: Terminal,
  selection: SealSelection,
): Promise<TimedOutcome> {
  const startMs = systemClock.elapsed();
  const reports = startReports(terminal, systemClock, "seal");
  try {
    const outcome = await sealPending({
      folder: archiveFolder(config),
      bounds: { ...archiveDefaults, ...config.data },
      clock: systemClock,
      selection,
      onProgress: (done, total) =>
        reports.update({ done, total, detail: `${numberText(total)} posts` }),
      signal: terminal.stopSignal,
    });
    return { ...outcome, seconds: (systemClock.elapsed() - startMs) / 1_000 };
  } finally {
    reports.end();
  }
}
