import type { JobStateWord } from "../components/state.tsx";
import { isRunning, type JobEvent, type JobList } from "./job.ts";

/** How the stream of one's own jobs stands. `stopped`: it broke off, at `sinceMs`, and is tried again at `nextMs`. */
type FeedState =
  | { status: "connecting" }
  | { status: "live" }
  | { status: "stopped"; sinceMs: number; nextMs: number };

export type FeedSnapshot = {
  feed: FeedState;
  /** How many jobs are under way; null until it is known. More than a page of a list holds are counted as that. */
  running: number | null;
  /** The last event of each job since the stream was opened. */
  events: ReadonlyMap<string, JobEvent>;
  last: JobEvent | null;
  /** Grows whenever a list may have missed something: after each time that the stream was opened anew. */
  opened: number;
};

/** What the feed needs of a browser. */
export type FeedWorld = {
  open(told: { onOpen(): void; onJob(event: JobEvent): void; onError(): void }): () => void;
  listRunning(): Promise<JobList>;
  nowMs(): number;
  after(ms: number, act: () => void): () => void;
};

export type JobFeed = {
  getSnapshot(): FeedSnapshot;
  /** Calls back when the snapshot changes; the stream is open while anyone listens. */
  subscribe(listener: () => void): () => void;
  /** Tries at once where the stream has stopped. */
  retry(): void;
  /** While nobody looks the stream is closed: a browser has few connections for all tabs together. */
  setSeen(isSeen: boolean): void;
};

const firstRetryMs = 1_000;
const longestRetryMs = 30_000;
/** A stream that ends at once is no stream; one that lasted is opened again without a word. */
const lastedMs = 5_000;
const mostEvents = 500;

const quiet: FeedSnapshot = {
  feed: { status: "connecting" },
  running: null,
  events: new Map(),
  last: null,
  opened: 0,
};

/** What happens to the account's jobs, told over one connection to all who ask. */
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

  function onJob(event: JobEvent): void {
    if (underWay !== null) note(underWay, event);
    const events = new Map(snapshot.events);
    events.delete(event.uuid);
    events.set(event.uuid, event);
    const [oldest] = events.keys();
    if (events.size > mostEvents && oldest !== undefined) events.delete(oldest);
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
    // What was told while the list was on its way is newer than the list.
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

function note(underWay: Map<string, JobStateWord>, { uuid, status }: JobEvent): void {
  if (isRunning(status)) underWay.set(uuid, status);
  else underWay.delete(uuid);
}
