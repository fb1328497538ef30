import type { FastifyInstance } from "fastify";
import type { Runner } from "../jobs/runner.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Config } from "./config.ts";
import type { AppContext, ContextOverrides } from "./context.ts";
import { flushLog } from "./log.ts";
import { closeStores, openStores } from "./stores.ts";

export type Service = {
  /** Where the service listens, such as http://127.0.0.1:8080. */
  url: string;
  app: FastifyInstance;
  context: AppContext;
  /**
   * Answers held requests with what is known, lets running searches end, closes the stores. Connections without a whole
   * request are closed at once. Work that is not over after EARSHOT_STOP_GRACE is left, and all connections are closed; its
   * jobs are taken up by the next start. Ends at most a few seconds later, whatever anyone does.
   */
  stop(): Promise<void>;
};

/**
 * Starts the whole service in this process: the HTTP gateway, one node, live ingestion. It listens once the stores are open;
 * `/readyz` says when a reader answers too. Fails with the fault of the part that could not start, and leaves nothing open.
 */
export async function startService(
  config: Config,
  overrides: ContextOverrides = {},
): Promise<Service> {
  const opening = openStores(config, overrides.clock ?? systemClock);
  // The threads of the stores start on other cores while this one loads the rest.
  const [{ createContext }, { startNode }, { buildApp }] = await Promise.all([
    import("./context.ts"),
    import("./roles.ts"),
    import("../http/app.ts"),
  ]).catch(async (fault: unknown) => {
    await opening.then(closeStores, () => undefined);
    throw fault;
  });
  const context = createContext(config, await opening, overrides);
  let node: Runner | null = null;
  try {
    await Promise.all([context.queue.start(), takeUpRates(context)]);
    const app = buildApp(context.http);
    const { host, port } = config.http;
    const url = await app.listen({ host, port });
    node = startNode(context);
    context.ingest.start(context);
    context.log.info({ url }, "listening");
    const stop = onlyOnce(() => stopService(context, app, node));
    return { url, app, context, stop };
  } catch (fault) {
    await Promise.all([node?.stop(), context.queue.stop()]);
    await context.close();
    throw fault;
  }
}

const minuteMs = 60_000;

/** The searches of the last minute count on after a restart. */
async function takeUpRates({ store, clock, http }: AppContext): Promise<void> {
  const nowMs = clock.now();
  const submissions = await store.read("submissionsSince", { sinceMs: nowMs - minuteMs });
  http.limiter.rebuild(submissions, nowMs);
}

/** How long the stores have to close once everything else has ended or was left. */
const closeMs = 2_000;

async function stopService(
  context: AppContext,
  app: FastifyInstance,
  node: Runner | null,
): Promise<void> {
  const { clock, config, log, queue } = context;
  // The node first: it takes no more from the queue, which then sends everyone who waits for it away.
  const nodeEnded = node?.stop();
  const queueEnded = queue.stop();
  const drained = Promise.allSettled([nodeEnded, queueEnded, app.close(), context.ingest.stop()]);
  if (!(await endsWithin(clock, config.http.stopGraceMs, drained))) {
    log.warn("stopped before everything had ended");
    app.server.closeAllConnections();
  }
  if (!(await endsWithin(clock, closeMs, context.close()))) {
    log.warn("stopped before the stores were closed");
  }
  log.info("stopped");
  await endsWithin(clock, closeMs, flushLog(log));
}

/** Whether it ends in time; fails as it does. */
async function endsWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const tooLate = clock.sleep(ms, over.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    over.abort();
  }
}

function onlyOnce(run: () => Promise<void>): () => Promise<void> {
  let outcome: Promise<void> | null = null;
  return () => {
    outcome ??= run();
    return outcome;
  };
}
