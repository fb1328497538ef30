import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { IngestLog } from "../ingest-log.ts";
import { catchUpTimeline, type LastEvent } from "./catch-up.ts";
import type { MastodonRecheck } from "./recheck.ts";
import type { MastodonRequests } from "./requests.ts";
import type { MastodonStreamName } from "./settings.ts";

/**
 * Reads missed statuses while the stream runs, then compares stored ones with the server. An
 * interrupted read is repeated after the next gap.
 */
export type MastodonGapRecovery = {
  recordEvent(event: LastEvent): void;
  resumePoint(): LastEvent | null;
  start(): void;
  stop(): Promise<void>;
  failure(): string | null;
};

export type MastodonGapRecoveryOptions = {
  host: string;
  clock: Clock;
  log: IngestLog;
  requests: MastodonRequests;
  recheck: MastodonRecheck;
  settings: { stream: MastodonStreamName; catchUpStatuses: number };
  onMissedStatuses: (statuses: readonly unknown[]) => void;
};

const retryMs = 600_000;

export function createMastodonGapRecovery(
  options: MastodonGapRecoveryOptions,
): MastodonGapRecovery {
  const { host, clock, log, requests, recheck, settings } = options;
  let lastEvent: LastEvent | null = null;
  let unreadSince: LastEvent | null = null;
  let failure: string | null = null;
  let currentRun: { stopping: AbortController; finished: Promise<void> } | null = null;

  async function work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await readMissed(signal);
        failure = null;
        await recheck.run(signal);
      } catch (error) {
        if (signal.aborted) return;
        failure = errorMessage(error);
        log.warn({ host, reason: failure }, "mastodon stream: stored posts cannot be compared");
        await clock.sleep(retryMs, signal).catch(() => {});
      }
    }
  }

  async function readMissed(signal: AbortSignal): Promise<void> {
    if (unreadSince === null) return;
    const { stream, catchUpStatuses: maxStatuses } = settings;
    const { onMissedStatuses: onStatuses } = options;
    const end = await catchUpTimeline(requests, {
      stream,
      since: unreadSince,
      maxStatuses,
      signal,
      onStatuses,
    });
    unreadSince = null;
    if (end.stopReason === null) return;
    log.warn(
      { host, reason: end.stopReason },
      "mastodon stream: some posts from the gap were not read",
    );
  }

  return {
    recordEvent: (event) => {
      lastEvent = { ...event, statusId: event.statusId ?? lastEvent?.statusId ?? null };
    },
    resumePoint: () => unreadSince ?? lastEvent,
    start: () => {
      unreadSince ??= lastEvent;
      recheck.recordGapEnd();
      const stopping = new AbortController();
      currentRun = { stopping, finished: work(stopping.signal) };
    },
    stop: async () => {
      recheck.recordGapStart();
      currentRun?.stopping.abort();
      await currentRun?.finished;
      currentRun = null;
    },
    failure: () => failure,
  };
}
