import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Gateway } from "../gateways/gateway.ts";
import type { JobOperations } from "../operations.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import type { JobSettings } from "../settings.ts";

export type RetentionContext = {
  store: Store<JobOperations>;
  clock: Clock;
  now: () => number;
  settings: Pick<JobSettings, "retentionMs" | "idempotencyMs">;
  dispatcher: Pick<Dispatcher, "get">;
  reportSnapshot: (snapshot: JobSnapshot) => void;
  gateway: Pick<Gateway, "isLeader">;
  onError?: (thrown: unknown) => void;
};

const sweepIntervalMs = 60_000;
const overdueGraceMs = 60_000;
const timeoutBatchSize = 100;

/** Runs every minute, and never rejects. Separate from the sweeper, which must not wait for a backlog. */
export async function enforceRetention(
  context: RetentionContext,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, onError } = context;
  while (!stopping.aborted) {
    if (context.gateway.isLeader()) {
      await timeOutUnknownJobs(context, stopping).catch((thrown: unknown) => onError?.(thrown));
      await sweep(context, stopping).catch((thrown: unknown) => onError?.(thrown));
    }
    await clock.sleep(sweepIntervalMs, stopping).catch(() => undefined);
  }
}

async function sweep(context: RetentionContext, stopping: AbortSignal): Promise<void> {
  const { store, now, settings, reportSnapshot } = context;
  for (let hasMore = true; hasMore && !stopping.aborted; ) {
    const nowMs = now();
    const endedMs = nowMs - settings.retentionMs;
    const keyedMs = nowMs - settings.idempotencyMs;
    const batch = await store.write("expireJobs", { nowMs, endedMs, keyedMs });
    for (const snapshot of batch.snapshots) reportSnapshot(snapshot);
    hasMore = batch.hasMore;
  }
}

/**
 * A writer that dies between commit and reply leaves a job that is not in memory. Skips jobs in
 * memory: until a clock step is recorded, their stored deadlines can be outdated.
 */
async function timeOutUnknownJobs(context: RetentionContext, stopping: AbortSignal): Promise<void> {
  const { store, now, dispatcher, reportSnapshot } = context;
  const overdueUuids = await store.read("overdueJobs", { deadlineMs: now() - overdueGraceMs });
  const unknownUuids = overdueUuids.filter((uuid) => dispatcher.get(uuid) === undefined);
  for (let start = 0; start < unknownUuids.length && !stopping.aborted; start += timeoutBatchSize) {
    const uuids = unknownUuids.slice(start, start + timeoutBatchSize);
    const snapshots = await store.write("timeOutJobs", { uuids, nowMs: now() });
    for (const snapshot of snapshots) reportSnapshot(snapshot);
  }
}
