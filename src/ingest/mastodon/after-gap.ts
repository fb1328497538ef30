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
export type MastodonAfterGap = {
  recordEvent(event: LastEvent): void;
  openSince(): LastEvent | null;
  start(): void;
  stop(): Promise<void>;
  failure(): string | null;
};

export type MastodonAfterGapOptions = {
  host: string;
  clock: Clock;
  log: IngestLog;
  requests: MastodonRequests;
  recheck: MastodonRecheck;
  settings: { stream: MastodonStreamName; catchUpStatuses: number };
  onMissed: (statuses: readonly unknown[]) => void;
};

const retryMs = 600_000;

export function createMastodonAfterGap(options: MastodonAfterGapOptions): MastodonAfterGap {
  const { host, clock, log, requests, recheck, settings } = options;
  let lastEvent: LastEvent | null = null;
  let unreadSince: LastEvent | null = null;
  let failure: string | null = null;
  let running: { stopping: AbortController; ended: Promise<void> } | null = null;

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
    const { onMissed: onStatuses } = options;
    const end = await catchUpTimeline(requests, {
      stream,
      since: unreadSince,
      maxStatuses,
      signal,
      onStatuses,
    });
    unreadSince = null;
    if (end.stoppedBy === null) return;
    log.warn(
      { host, reason: end.stoppedBy },
      "mastodon stream: some posts of the gap were not read",
    );
  }

  return {
    recordEvent: (event) => {
      lastEvent = { ...event, statusId: event.statusId ?? lastEvent?.statusId ?? null };
    },
    openSince: () => unreadSince ?? lastEvent,
    start: () => {
      unreadSince ??= lastEvent;
      recheck.recordGapEnd();
      const stopping = new AbortController();
      running = { stopping, ended: work(stopping.signal) };
    },
    stop: async () => {
      recheck.recordGapStart();
      running?.stopping.abort();
      await running?.ended;
      running = null;
    },
    failure: () => failure,
  };
}
