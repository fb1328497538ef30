import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Runner } from "../jobs/runner.ts";
import type { Clock } from "../lib/clock.ts";
import { drainMs } from "../remote/settings.ts";
import { endsWithin } from "./ends-within.ts";
import { flushLog } from "./log.ts";
import type { NodeWorker } from "./node-worker.ts";
import type { NodeConfig } from "./require-node-settings.ts";
import type { IngestRole } from "./roles.ts";
import { closeStores, type Stores } from "./stores.ts";
import type { UpstreamRole } from "./upstreams.ts";

/** For aborted work. */
const droppedMs = 1_000;
/** For the gateway to answer that the node leaves. */
const leaveMs = 2_000;
const upstreamsMs = 300;
const closeMs = 1_000;
const flushMs = 200;

export type RunningNode = {
  config: NodeConfig;
  worker: NodeWorker;
  runners: Runner;
  /** Null if it does not listen. */
  app: FastifyInstance | null;
  ingest: Pick<IngestRole, "stop">;
  upstreams: Pick<UpstreamRole, "stop">;
  stores: Pick<Stores, "control" | "archive">;
  clock: Clock;
  log: Logger;
};

/**
 * Stops leasing, lets jobs end for `drainMs`, and notifies the gateway, so that other nodes get the rest. Ends at most 4.5 s
 * later.
 */
export async function stopNode(node: RunningNode): Promise<void> {
  const { config, worker, runners, app, ingest, upstreams, stores, clock, log } = node;
  const { gateway } = worker;
  const startedMs = clock.elapsed();
  log.info({ running: gateway.running() }, "stopping");
  if (app !== null) {
    app.shutdown.announce();
    if (config.http.stopNoticeMs > 0) await clock.sleep(config.http.stopNoticeMs);
  }
  const drained = Promise.allSettled([runners.stop(), app?.shutdown.drain(), ingest.stop()]);
  if (!(await endsWithin(clock, drainMs, drained))) {
    log.warn({ running: gateway.running() }, "stopped before everything had ended");
    gateway.abandon();
    app?.server.closeAllConnections();
    await endsWithin(clock, droppedMs, drained);
  }
  const closed = app?.close();
  await Promise.all([
    endsWithin(clock, leaveMs, leave(node)),
    endsWithin(clock, droppedMs, closed ?? Promise.resolve()),
  ]);
  await worker.close();
  if (!(await endsWithin(clock, upstreamsMs, upstreams.stop()))) {
    log.warn("stopped before platforms had answered");
  }
  if (!(await endsWithin(clock, closeMs, closeStores(stores)))) {
    log.warn("stopped before the stores were closed");
  }
  log.info({ ms: Math.round(clock.elapsed() - startedMs) }, "stopped");
  await endsWithin(clock, flushMs, flushLog(log));
}

async function leave({ worker: { attestLoop, gateway }, log }: RunningNode): Promise<void> {
  if (attestLoop.admitted() === null) return;
  await gateway.leave().catch(() => log.warn("the gateway was not told that the node goes"));
}
