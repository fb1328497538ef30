import type { JobStateName } from "../components/state.tsx";
import { isRunning, type JobFeedEvent, type JobList } from "./job.ts";

/** `stopped`: interrupted at `sinceMs`, retried at `retryAtMs`. */
type FeedState =
  | { status: "connecting" }
  | { status: "live" }
  | { status: "stopped"; sinceMs: number; retryAtMs: number };

export type FeedSnapshot = {
  feed: FeedState;
  /** Null until known. At most one page of the list is counted. */
  runningCount: number | null;
  /** The latest event of each job since the stream opened. */
  events: ReadonlyMap<string, JobFeedEvent>;
  lastEvent: JobFeedEvent | null;
  /** Increases each time the stream opens, because lists may have missed events. */
  openCount: number;
};

export type FeedEnvironment = {
  open(handlers: { onOpen(): void; onJob(event: JobFeedEvent): void; onError(): void }): () => void;
  listRunning(): Promise<JobList>;
  nowMs(): number;
  schedule(ms: number, act: () => void): () => void;
};

export type JobFeed = {
  getSnapshot(): FeedSnapshot;
  /** The stream is open while there are listeners. */
  subscribe(listener: () => void): () => void;
  retry(): void;
  /** Closes the stream of a hidden tab, because browsers limit connections across tabs. */
  setVisible(isVisible: boolean): void;
};

const firstRetryMs = 1_000;
const maxRetryMs = 30_000;
/** A stream that lasted at least this long is reopened silently. */
const stableMs = 5_000;
const maxEvents = 500;

const initialSnapshot: FeedSnapshot = {
  feed: { status: "connecting" },
  runningCount: null,
  events: new Map(),
  lastEvent: null,
  openCount: 0,
};

/** Shares one event stream among all subscribers. */
export function createJobFeed(environment: FeedEnvironment): JobFeed {
  const listeners = new Set<() => void>();
  let snapshot = initialSnapshot;
  let runningJobs: Map<string, JobStateName> | null = null;
  let isVisible = true;
  let close: (() => void) | null = null;
  let stopWaiting: (() => void) | null = null;
  let retryMs = firstRetryMs;
  let openedAtMs: number | null = null;
  let generation = 0;

  function change(part: Partial<FeedSnapshot>): void {
    snapshot = { ...snapshot, ...part };
    for (const listener of listeners) listener();
  }

  function open(): void {
    if (close !== null || !isVisible || listeners.size === 0) return;
    stopWaiting?.();
    stopWaiting = null;
    generation += 1;
    close = environment.open({ onOpen, onJob, onError });
  }

  function closeStream(): void {
    generation += 1;
    stopWaiting?.();
    stopWaiting = null;
    close?.();
    close = null;
    openedAtMs = null;
  }

  function onOpen(): void {
    openedAtMs = environment.nowMs();
    change({ feed: { status: "live" }, events: new Map(), openCount: snapshot.openCount + 1 });
    void countRunning();
  }

  function onJob(event: JobFeedEvent): void {
    if (runningJobs !== null) applyEvent(runningJobs, event);
    const events = new Map(snapshot.events);
    events.delete(event.uuid);
    events.set(event.uuid, event);
    const [oldest] = events.keys();
    if (events.size > maxEvents && oldest !== undefined) events.delete(oldest);
    change({
      events,
      lastEvent: event,
      runningCount: runningJobs === null ? snapshot.runningCount : runningJobs.size,
    });
  }

  function onError(): void {
    const nowMs = environment.nowMs();
    const wasStable = openedAtMs !== null && nowMs - openedAtMs >= stableMs;
    closeStream();
    const waitMs = wasStable ? 0 : retryMs;
    retryMs = wasStable ? firstRetryMs : Math.min(2 * retryMs, maxRetryMs);
    const { feed } = snapshot;
    const sinceMs = feed.status === "stopped" ? feed.sinceMs : nowMs;
    if (!wasStable) change({ feed: { status: "stopped", sinceMs, retryAtMs: nowMs + waitMs } });
    stopWaiting = environment.schedule(waitMs, open);
  }

  async function countRunning(): Promise<void> {
    const ownGeneration = generation;
    const list = await environment.listRunning().catch(() => null);
    if (list === null || ownGeneration !== generation) return;
    runningJobs = new Map(list.jobs.map(({ uuid, status }) => [uuid, status]));
    // Events received while the list was loading are newer.
    for (const event of snapshot.events.values()) applyEvent(runningJobs, event);
    change({ runningCount: runningJobs.size });
  }

  return {
    getSnapshot: () => snapshot,
    subscribe: (listener) => {
      listeners.add(listener);
      open();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        closeStream();
        runningJobs = null;
        retryMs = firstRetryMs;
        snapshot = { ...initialSnapshot, openCount: snapshot.openCount };
      };
    },
    retry: () => {
      if (close !== null) return;
      retryMs = firstRetryMs;
      open();
    },
    setVisible: (isNowVisible) => {
      if (isNowVisible === isVisible) return;
      isVisible = isNowVisible;
      if (isNowVisible) open();
      else closeStream();
    },
  };
}

function applyEvent(runningJobs: Map<string, JobStateName>, { uuid, status }: JobFeedEvent): void {
  if (isRunning(status)) runningJobs.set(uuid, status);
  else runningJobs.delete(uuid);
}
