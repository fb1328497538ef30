import type { Store } from "../db/operations.ts";
import type { Clock } from "../lib/clock.ts";
import type { JobOperations } from "./operations.ts";
import type { JobSettings } from "./settings.ts";
import type { JobStand } from "./visible-change.ts";

export type RetentionContext = {
  store: Store<JobOperations>;
  clock: Clock;
  /** Unix milliseconds. */
  now: () => number;
  settings: Pick<JobSettings, "retentionMs" | "idempotencyMs">;
  /** What to do when a job has changed: its result has expired. */
  tellStand: (stand: JobStand) => void;
  onFault?: (thrown: unknown) => void;
};

const sweepEveryMs = 60_000;

/**
 * Drops results, jobs and idempotency keys whose time is over, once a minute, until the signal aborts; it never rejects. After a
 * busy day that takes a while, in which the watch over deadlines and leases has to go on.
 */
export async function keepWithinRetention(
  context: RetentionContext,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, onFault } = context;
  while (!stopping.aborted) {
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
