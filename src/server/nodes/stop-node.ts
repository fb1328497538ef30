import type { Logger } from "pino";
import type { Runner } from "../../jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import { drainMs } from "../../remote/settings.ts";
import { flushLog } from "../log.ts";
import type { IngestRole } from "../roles/ingest.ts";
import type { UpstreamRole } from "../roles/upstreams.ts";
import { settlesWithin } from "../settles-within.ts";
import { closeStores, type Stores } from "../stores.ts";
import type { NodeWorker } from "./node-worker.ts";

/** Time for aborted work to end. */
const abortMs = 1_000;
/** Time for the gateway to confirm that the node is leaving. */
const leaveMs = 2_000;
const upstreamsMs = 300;
const closeMs = 1_000;
const flushMs = 200;

export type RunningNode = {
  worker: NodeWorker;
  runner: Runner;
  ingest: Pick<IngestRole, "stop">;
  upstreams: Pick<UpstreamRole, "stop">;
  stores: Pick<Stores, "control" | "archive">;
  clock: Clock;
  log: Logger;
};

/**
 * Gives running jobs `drainMs` to end, then leaves the gateway, so that other nodes get the
 * remaining jobs. Returns at most 4.5 s after that.
 */
export async function stopNode(node: RunningNode): Promise<void> {
  const { worker, runner, ingest, upstreams, stores, clock, log } = node;
  const { gateway } = worker;
  const startedMs = clock.elapsed();
  log.info({ running: gateway.running() }, "stopping");
  const drainPromise = Promise.allSettled([runner.stop(), ingest.stop()]);
  if (!(await settlesWithin(clock, drainMs, drainPromise))) {
    log.warn({ running: gateway.running() }, "stopped before all work ended");
    gateway.abortJobs();
    await settlesWithin(clock, abortMs, drainPromise);
  }
  await settlesWithin(clock, leaveMs, leave(node));
  await worker.close();
  if (!(await settlesWithin(clock, upstreamsMs, upstreams.stop()))) {
    log.warn("stopped before all platforms answered");
  }
  if (!(await settlesWithin(clock, closeMs, closeStores(stores)))) {
    log.warn("stopped before the stores were closed");
  }
  log.info({ ms: Math.round(clock.elapsed() - startedMs) }, "stopped");
  await settlesWithin(clock, flushMs, flushLog(log));
}

async function leave({ worker: { attestLoop, gateway }, log }: RunningNode): Promise<void> {
  if (attestLoop.admitted() === null) return;
  await gateway.leave().catch(() => log.warn("leaving the gateway failed"));
}
