import type { JobStateWord } from "../components/state.tsx";
import { isRunning, type JobFeedEvent, type JobList } from "./job.ts";

/** `stopped`: interrupted at `sinceMs`, retried at `nextMs`. */
type FeedState =
  | { status: "connecting" }
  | { status: "live" }
  | { status: "stopped"; sinceMs: number; nextMs: number };

export type FeedSnapshot = {
  feed: FeedState;
  /** Null until known; at most one page of the list is counted. */
  running: number | null;
  /** The last event of each job since the stream opened. */
  events: ReadonlyMap<string, JobFeedEvent>;
  last: JobFeedEvent | null;
  /** Grows each time the stream opens, as lists may have missed events. */
  opened: number;
};

/** Browser dependencies. */
export type FeedWorld = {
  open(reported: { onOpen(): void; onJob(event: JobFeedEvent): void; onError(): void }): () => void;
  listRunning(): Promise<JobList>;
  nowMs(): number;
  after(ms: number, act: () => void): () => void;
};

export type JobFeed = {
  getSnapshot(): FeedSnapshot;
  /** The stream is open while there are listeners. */
  subscribe(listener: () => void): () => void;
  /** Retries an interrupted stream immediately. */
  retry(): void;
  /** Closes the stream of a hidden tab: browsers limit connections across tabs. */
  setSeen(isSeen: boolean): void;
};

const firstRetryMs = 1_000;
const longestRetryMs = 30_000;
/** A stream that lasted at least this long is reopened silently. */
const lastedMs = 5_000;
const maxEvents = 500;

const quiet: FeedSnapshot = {
  feed: { status: "connecting" },
  running: null,
  events: new Map(),
  last: null,
  opened: 0,
};

/** Shares one event stream among all subscribers. */
export function createJobFeed(world: FeedWorld): JobFeed {
  const listeners = new Set<() => void>();
  let snapshot = quiet;
  let underWay: Map<string, JobStateWord> | null = null;
  let isSeen = true;
  let close: (() => void) | null = null;
  let stopWaiting: (() => void) | null = null;
  let retryMs = firstRetryMs;
  let openedMs: number | null = null;
  let opening = 0;

  function change(part: Partial<FeedSnapshot>): void {
    snapshot = { ...snapshot, ...part };
    for (const listener of listeners) listener();
  }

  function open(): void {
    if (close !== null || !isSeen || listeners.size === 0) return;
    stopWaiting?.();
    stopWaiting = null;
    opening += 1;
    close = world.open({ onOpen, onJob, onError });
  }

  function shut(): void {
    opening += 1;
    stopWaiting?.();
    stopWaiting = null;
    close?.();
    close = null;
    openedMs = null;
  }

  function onOpen(): void {
    openedMs = world.nowMs();
    retryMs = firstRetryMs;
    change({ feed: { status: "live" }, events: new Map(), opened: snapshot.opened + 1 });
    void countRunning();
  }

  function onJob(event: JobFeedEvent): void {
    if (underWay !== null) note(underWay, event);
    const events = new Map(snapshot.events);
    events.delete(event.uuid);
    events.set(event.uuid, event);
    const [oldest] = events.keys();
    if (events.size > maxEvents && oldest !== undefined) events.delete(oldest);
    change({ events, last: event, running: underWay === null ? snapshot.running : underWay.size });
  }

  function onError(): void {
    const nowMs = world.nowMs();
    const lasted = openedMs !== null && nowMs - openedMs >= lastedMs;
    shut();
    const waitMs = lasted ? 0 : retryMs;
    if (!lasted) retryMs = Math.min(2 * retryMs, longestRetryMs);
    const { feed } = snapshot;
    const sinceMs = feed.status === "stopped" ? feed.sinceMs : nowMs;
    if (!lasted) change({ feed: { status: "stopped", sinceMs, nextMs: nowMs + waitMs } });
    stopWaiting = world.after(waitMs, open);
  }

  async function countRunning(): Promise<void> {
    const mine = opening;
    const list = await world.listRunning().catch(() => null);
    if (list === null || mine !== opening) return;
    underWay = new Map(list.jobs.map(({ uuid, status }) => [uuid, status]));
    // Events received while the list loaded are newer.
    for (const event of snapshot.events.values()) note(underWay, event);
    change({ running: underWay.size });
  }

  return {
    getSnapshot: () => snapshot,
    subscribe: (listener) => {
      listeners.add(listener);
      open();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        shut();
        underWay = null;
        retryMs = firstRetryMs;
        snapshot = { ...quiet, opened: snapshot.opened };
      };
    },
    retry: () => {
      if (close !== null) return;
      retryMs = firstRetryMs;
      open();
    },
    setSeen: (seen) => {
      if (seen === isSeen) return;
      isSeen = seen;
      if (seen) open();
      else shut();
    },
  };
}

function note(underWay: Map<string, JobStateWord>, { uuid, status }: JobFeedEvent): void {
  if (isRunning(status)) underWay.set(uuid, status);
  else underWay.delete(uuid);
}
