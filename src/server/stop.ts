import type { FastifyInstance } from "fastify";
import type { Runner } from "../jobs/runner.ts";
import type { AppContext } from "./context.ts";
import { endsWithin } from "./ends-within.ts";
import { flushLog } from "./log.ts";

/** How long platforms have to answer what was asked for all jobs, such as a renewed session. */
const upstreamsMs = 300;
/** How long the stores have to close once everything else has ended or was left, and the log to be written. */
const closeMs = 1_000;
const flushMs = 200;

/**
 * Stops what `startService` started. The stop is announced for as long as EARSHOT_STOP_NOTICE says; then no more work is taken:
 * requests are 503, everyone who waits is answered with what is known, and what runs may end, for as long as EARSHOT_STOP_GRACE
 * says. What is left then is taken up by the next start.
 */
export async function stopService(
  context: AppContext,
  app: FastifyInstance,
  node: Runner | null,
): Promise<void> {
  const { accountEnds, clock, config, log, queue, sender } = context;
  const startedMs = clock.elapsed();
  log.info("stopping");
  app.shutdown.announce();
  if (config.http.stopNoticeMs > 0) await clock.sleep(config.http.stopNoticeMs);
  // The node first: it takes no more from the queue, which then sends everyone who waits for it away.
  const nodeEnded = node?.stop();
  const queueEnded = queue.stop();
  const drained = Promise.allSettled([
    nodeEnded,
    queueEnded,
    context.nodes.stop(),
    accountEnds.stop(),
    sender.stop(),
    app.shutdown.drain(),
    context.ingest.stop(),
  ]);
  const hasEnded = await endsWithin(clock, config.http.stopGraceMs, drained);
  // Until now new requests were answered, so that a load balancer sees 503 and never a closed port with work behind it.
  const closed = app.close();
  if (!hasEnded) {
    log.warn("stopped before everything had ended");
    app.server.closeAllConnections();
  }
  // What a platform has answered to a renewal is written down before the store closes: some tokens are good once.
  const written = Promise.all([context.upstreams.stop(), context.usage.stop()]);
  const [isWritten, isClosed] = await Promise.all([
    endsWithin(clock, upstreamsMs, written),
    endsWithin(clock, upstreamsMs, closed),
  ]);
  if (!isWritten) log.warn("stopped before platforms had answered");
  if (!isClosed) log.warn("stopped before all connections were closed");
  if (!(await endsWithin(clock, closeMs, context.close()))) {
    log.warn("stopped before the stores were closed");
  }
  const ms = Math.round(clock.elapsed() - startedMs);
  log.info({ ms, jobs_waiting: queue.depth() }, "stopped");
  await endsWithin(clock, flushMs, flushLog(log));
}
