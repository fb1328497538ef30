import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openArchive } from "../../archive/threads/open.ts";
import { acquireLock, type FileLock } from "../../db/folder-lock.ts";
import { openNetworkReplay } from "../../ingest/backfill/network-replay.ts";
import { type ReplaySummary, replay } from "../../ingest/backfill/replay.ts";
import { publicJetstreamUrls } from "../../ingest/jetstream/settings.ts";
import { systemClock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { EarshotError } from "../../lib/errors.ts";
import { createGuard } from "../../lib/guard.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { BoundedSpan } from "../../lib/spans.ts";
import type { Config } from "../../server/config.ts";
import { settings } from "../../server/settings/settings.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { BackfillOptions } from "./backfill.ts";
import { openOutgoingAccess } from "./backfill-access.ts";
import { roundedText } from "./show-account-result.ts";

export async function backfillTime(
  requestedSpan: BoundedSpan | "gaps",
  options: BackfillOptions,
  terminal: Terminal,
): Promise<void> {
  if (requestedSpan !== "gaps" && requestedSpan.fromMs >= systemClock.now()) {
    throw wrongUse("--replay starts in the future", "use a FROM in the past");
  }
  const config = readConfig(terminal);
  const { dir, ...data } = config.data;
  const lock = lockReplays(dir);
  const archive = await openArchive({ dataDir: dir, ...data, clock: systemClock });
  const reports = startReports(terminal, systemClock, "replay");
  const access = openOutgoingAccess(config, terminal.stopSignal, (line) => reports.note(line));
  const { ingest, backfill } = config;
  try {
    const summary = await replay({
      archive,
      clock: systemClock,
      random: Math.random,
      span: requestedSpan,
      followed: ingest.followed,
      lookbackMs: backfill.streamLookbackMs,
      liveSlackMs: ingest.coverageSlackMs,
      stream: {
        ...ingest,
        guard: createGuard(ingest.urls.filter((url) => !publicJetstreamUrls.includes(url))),
        userAgent: "earshot/0.1",
        signal: terminal.stopSignal,
      },
      network: needsToken(config)
        ? null
        : openNetworkReplay(access.fetch, { url: backfill.replayUrl, token: backfill.replayToken }),
      networkHost: new URL(backfill.replayUrl).host,
      onPart: ({ span, by }) => {
        const origin = by === "stream" ? "Jetstream" : "the network archive";
        if (!options.json) reports.note(`${spanText(span)} from ${origin}\n`);
      },
      onProgress: ({ reachedMs, doneMs, totalMs, posts, reactions }) =>
        reports.update({
          done: doneMs,
          total: totalMs,
          detail: `at ${timeText(reachedMs)}, ${roundedText(posts)} posts, ${roundedText(reactions)} reactions`,
        }),
    });
    reports.end();
    terminal.out(options.json ? asJson(summary) : asText(summary));
    if (summary.missing.length > 0) throw incompleteError(summary.missing);
  } finally {
    reports.end();
    await access.close();
    await archive.close();
    lock.release();
  }
}

/** Two concurrent replays would count likes twice. */
function lockReplays(dataDir: string): FileLock {
  const folder = join(dataDir, "replay");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(folder, "lock.db"));
  if (lock !== null) return lock;
  throw new EarshotError("replay_running", "another replay is running on this data folder", {
    retryable: true,
    hint: "wait for it to finish",
  });
}

function incompleteError(spans: readonly BoundedSpan[]): EarshotError {
  const lengthMs = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return new EarshotError(
    "backfill_incomplete",
    `${lengthText(lengthMs)} of the requested time is still missing`,
    {
      hint: "no configured server has it: set EARSHOT_JETSTREAM_URLS or EARSHOT_NETWORK_REPLAY_URL to other servers",
    },
  );
}

/** The default public server requires a token. */
const needsToken = ({ backfill }: Config): boolean =>
  backfill.replayToken === null && backfill.replayUrl === settings.backfill.replayUrl.fallback;

const timeText = (ms: number): string => isoTime(ms).slice(0, 19).replace("T", " ");
const spanText = ({ fromMs, toMs }: BoundedSpan): string =>
  `${timeText(fromMs)} to ${timeText(toMs)} (${lengthText(toMs - fromMs)})`;
const lengthText = (ms: number): string =>
  ms < 1_000 ? formatDuration(ms) : formatDuration(ms - (ms % 1_000));

const spanJson = ({ fromMs, toMs }: BoundedSpan) => ({
  from: isoTime(fromMs),
  to: isoTime(toMs),
});

function asJson(summary: ReplaySummary): string {
  return `${JSON.stringify({
    replayed: summary.parts.map(({ span, by }) => ({ ...spanJson(span), by })),
    events: summary.events,
    posts: summary.posts,
    added: summary.added,
    deletes: summary.deletes,
    reactions: summary.reactions,
    bad_events: summary.badEvents,
    held_before_seconds: summary.alreadyCoveredMs / 1_000,
    missing: summary.missing.map(spanJson),
    seconds: summary.seconds,
  })}\n`;
}

function asText(summary: ReplaySummary): string {
  const archivedText =
    summary.alreadyCoveredMs > 0
      ? `${lengthText(summary.alreadyCoveredMs)} was already archived\n`
      : "";
  if (summary.parts.length === 0) return `${archivedText}nothing is missing\n`;
  const lines = [
    `${roundedText(summary.events)} events replayed in ${summary.seconds.toFixed(1)} s: ${roundedText(summary.posts)} posts ` +
      `(${roundedText(summary.added)} added), ${roundedText(summary.deletes)} deletes, ${roundedText(summary.reactions)} reactions`,
  ];
  if (summary.badEvents > 0) lines.push(`  ${roundedText(summary.badEvents)} unreadable events`);
  for (const span of summary.missing) lines.push(`  still missing: ${spanText(span)}`);
  return `${archivedText}${lines.join("\n")}\n`;
}
