import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { IngestLog } from "../ingest-log.ts";
import { catchUpTimeline, type LastEvent } from "./catch-up.ts";
import type { MastodonRecheck } from "./recheck.ts";
import type { MastodonRequests } from "./requests.ts";
import type { MastodonStreamName } from "./settings.ts";

/**
 * Reads missed statuses from the timeline beside the stream, then compares stored statuses with the
 * server. An interrupted read is repeated with the next gap.
 */
export type MastodonAfterGap = {
  noteEvent(event: LastEvent): void;
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
  let last: LastEvent | null = null;
  let unread: LastEvent | null = null;
  let failure: string | null = null;
  let under: { stopping: AbortController; ended: Promise<void> } | null = null;

  async function work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await readMissed(signal);
        failure = null;
        await recheck.run(signal);
      } catch (error) {
        if (signal.aborted) return;
        failure = messageOf(error);
        log.warn({ host, reason: failure }, "mastodon stream: stored posts cannot be compared");
        await clock.sleep(retryMs, signal).catch(() => {});
      }
    }
  }

  async function readMissed(signal: AbortSignal): Promise<void> {
    if (unread === null) return;
    const { stream, catchUpStatuses: maxStatuses } = settings;
    const { onMissed: onStatuses } = options;
    const end = await catchUpTimeline(requests, {
      stream,
      since: unread,
      maxStatuses,
      signal,
      onStatuses,
    });
    unread = null;
    if (end.stoppedBy === null) return;
    log.warn(
      { host, reason: end.stoppedBy },
      "mastodon stream: some posts of the gap were not read",
    );
  }

  return {
    noteEvent: (event) => {
      last = { ...event, statusId: event.statusId ?? last?.statusId ?? null };
    },
    openSince: () => unread ?? last,
    start: () => {
      unread ??= last;
      recheck.noteGapEnd();
      const stopping = new AbortController();
      under = { stopping, ended: work(stopping.signal) };
    },
    stop: async () => {
      recheck.noteGapStart();
      under?.stopping.abort();
      await under?.ended;
      under = null;
    },
    failure: () => failure,
  };
}
