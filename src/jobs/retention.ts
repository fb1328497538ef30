import type { Store } from "../db/operations.ts";
import type { Clock } from "../lib/clock.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { JobOperations } from "./operations.ts";
import type { JobSettings } from "./settings.ts";
import type { JobSnapshot } from "./visible-change.ts";

export type RetentionContext = {
  store: Store<JobOperations>;
  clock: Clock;
  /** Unix milliseconds. */
  now: () => number;
  settings: Pick<JobSettings, "retentionMs" | "idempotencyMs">;
  /** The jobs that memory knows, whose end is up to the watch over deadlines. */
  dispatcher: Pick<Dispatcher, "get">;
  /** What to do when a job has changed: its result has expired, or its deadline has passed unseen. */
  tellStand: (stand: JobSnapshot) => void;
  onFault?: (thrown: unknown) => void;
};

const sweepEveryMs = 60_000;
/** A job that memory knows has ended long before. */
const overdueMs = 60_000;
/** Jobs that one transaction ends, so that none holds the writer for long. */
const endedAtOnce = 100;

/**
 * Drops results, jobs and idempotency keys whose time is over, and ends jobs past their deadline that memory does not know, once
 * a minute, until the signal aborts; it never rejects. After a busy day that takes a while, in which the watch over deadlines
 * and leases has to go on.
 */
export async function keepWithinRetention(
  context: RetentionContext,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, onFault } = context;
  while (!stopping.aborted) {
    await endUnknown(context, stopping).catch((thrown: unknown) => onFault?.(thrown));
    await sweep(context, stopping).catch((thrown: unknown) => onFault?.(thrown));
    await clock.sleep(sweepEveryMs, stopping).catch(() => undefined);
  }
}

async function sweep(context: RetentionContext, stopping: AbortSignal): Promise<void> {
  const { store, now, settings, tellStand } = context;
  for (let isMore = true; isMore && !stopping.aborted; ) {
    const nowMs = now();
    const endedMs = nowMs - settings.retentionMs;
    const keyedMs = nowMs - settings.idempotencyMs;
    const swept = await store.write("expireJobs", { nowMs, endedMs, keyedMs });
    for (const stand of swept.expired) tellStand(stand);
    isMore = swept.isMore;
  }
}

/**
 * A writer that dies between its commit and its answer leaves a job on disk that was refused, and that memory does not know.
 * The deadline of a job that it does know may lie back by the table alone, while a step of the wall clock is not noted yet.
 */
async function endUnknown(context: RetentionContext, stopping: AbortSignal): Promise<void> {
  const { store, now, dispatcher, tellStand } = context;
  const overdue = await store.read("overdueJobs", { deadlineMs: now() - overdueMs });
  const unknown = overdue.filter((uuid) => dispatcher.get(uuid) === undefined);
  for (let first = 0; first < unknown.length && !stopping.aborted; first += endedAtOnce) {
    const uuids = unknown.slice(first, first + endedAtOnce);
    const stands = await store.write("timeOutJobs", { uuids, nowMs: now() });
    for (const stand of stands) tellStand(stand);
  }
}
