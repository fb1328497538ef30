import type { Logger } from "pino";
import type { Runner } from "../../jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import { drainMs } from "../../remote/settings.ts";
import { endsWithin } from "../ends-within.ts";
import { flushLog } from "../log.ts";
import type { IngestRole } from "../roles/roles.ts";
import type { UpstreamRole } from "../roles/upstreams.ts";
import { closeStores, type Stores } from "../stores.ts";
import type { NodeWorker } from "./node-worker.ts";

/** Time for aborted work to end. */
const abortMs = 1_000;
/** Time for the gateway to confirm that the node leaves. */
const leaveMs = 2_000;
const upstreamsMs = 300;
const closeMs = 1_000;
const flushMs = 200;

export type RunningNode = {
  worker: NodeWorker;
  runners: Runner;
  ingest: Pick<IngestRole, "stop">;
  upstreams: Pick<UpstreamRole, "stop">;
  stores: Pick<Stores, "control" | "archive">;
  clock: Clock;
  log: Logger;
};

/** Lets jobs end for `drainMs`, then leaves, so that other nodes get the rest. Ends at most 4.5 s later. */
export async function stopNode(node: RunningNode): Promise<void> {
  const { worker, runners, ingest, upstreams, stores, clock, log } = node;
  const { gateway } = worker;
  const startedMs = clock.elapsed();
  log.info({ running: gateway.running() }, "stopping");
  const drained = Promise.allSettled([runners.stop(), ingest.stop()]);
  if (!(await endsWithin(clock, drainMs, drained))) {
    log.warn({ running: gateway.running() }, "stopped before all work ended");
    gateway.abandon();
    await endsWithin(clock, abortMs, drained);
  }
  await endsWithin(clock, leaveMs, leave(node));
  await worker.close();
  if (!(await endsWithin(clock, upstreamsMs, upstreams.stop()))) {
    log.warn("stopped before all platforms answered");
  }
  if (!(await endsWithin(clock, closeMs, closeStores(stores)))) {
    log.warn("stopped before the stores were closed");
  }
  log.info({ ms: Math.round(clock.elapsed() - startedMs) }, "stopped");
  await endsWithin(clock, flushMs, flushLog(log));
}

async function leave({ worker: { attestLoop, gateway }, log }: RunningNode): Promise<void> {
  if (attestLoop.admitted() === null) return;
  await gateway.leave().catch(() => log.warn("leaving the gateway failed"));
}
