import type { FastifyInstance } from "fastify";
import type { Runner } from "../jobs/runner.ts";
import type { AppContext } from "./context.ts";
import { flushLog } from "./log.ts";
import { settlesWithin } from "./settles-within.ts";

/** Time for requests such as a session renewal. */
const upstreamsMs = 300;
const closeMs = 1_000;
const flushMs = 200;

/**
 * Announces the shutdown for EARSHOT_STOP_NOTICE, then answers pending requests with the current
 * state; running work has EARSHOT_STOP_GRACE to end. Unfinished jobs resume without counting the
 * attempt.
 */
export async function stopService(
  context: AppContext,
  app: FastifyInstance,
  node: Runner | null,
): Promise<void> {
  const { accountFinalizer, clock, config, log, queue, sender } = context;
  const startedMs = clock.elapsed();
  log.info("stopping");
  app.shutdown.announce();
  if (config.http.stopNoticeMs > 0) await clock.sleep(config.http.stopNoticeMs);
  // The node stops first: stopping the queue ends all waits.
  const nodeStop = node?.stop();
  const queueStop = queue.stop();
  const drainPromise = Promise.allSettled([
    nodeStop,
    queueStop,
    context.nodes.stop(),
    accountFinalizer.stop(),
    sender.stop(),
    app.shutdown.drain(),
    context.ingest.stop(),
  ]);
  const hasEnded = await settlesWithin(clock, config.http.stopGraceMs, drainPromise);
  // The port is closed only now, so that load balancers see 503 while work is left.
  const appClose = app.close();
  if (!hasEnded) {
    log.warn("stopped before all work ended");
    app.server.closeAllConnections();
  }
  // Some renewed tokens are valid only once, so they must be stored.
  const flushPromise = Promise.all([context.upstreams.stop(), context.usage.stop()]);
  const [isWritten, isClosed] = await Promise.all([
    settlesWithin(clock, upstreamsMs, flushPromise),
    settlesWithin(clock, upstreamsMs, appClose),
  ]);
  if (!isWritten) log.warn("stopped before all platforms answered");
  if (!isClosed) log.warn("stopped before all connections were closed");
  if (!(await settlesWithin(clock, closeMs, context.close()))) {
    log.warn("stopped before the stores were closed");
  }
  const ms = Math.round(clock.elapsed() - startedMs);
  log.info({ ms, jobs_waiting: queue.depth() }, "stopped");
  await settlesWithin(clock, flushMs, flushLog(log));
}
