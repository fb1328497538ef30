import type { FastifyInstance } from "fastify";
import type { Runner } from "../jobs/runner.ts";
import { systemClock } from "../lib/clock.ts";
import type { Config } from "./config.ts";
import type { AppContext, ContextOverrides } from "./context.ts";
import { closeStores, openStores } from "./stores.ts";

export type Service = {
  /** Where the service listens, such as http://127.0.0.1:8080. */
  url: string;
  app: FastifyInstance;
  context: AppContext;
  /**
   * Answers held requests with what is known, lets running searches end, closes the stores. Work that is not over after
   * EARSHOT_STOP_GRACE is left; its jobs are taken up by the next start.
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
    await context.queue.stop();
    await node?.stop();
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

async function stopService(
  context: AppContext,
  app: FastifyInstance,
  node: Runner | null,
): Promise<void> {
  const { clock, config, log, queue } = context;
  const over = new AbortController();
  const tooLate = clock.sleep(config.http.stopGraceMs, over.signal).then(
    () => log.warn("stopped before everything had ended"),
    () => undefined,
  );
  const drained = (async () => {
    await Promise.all([app.close(), context.ingest.stop()]);
    await Promise.all([node?.stop(), queue.stop()]);
    await context.close();
  })();
  await Promise.race([drained, tooLate]);
  over.abort();
  log.info("stopped");
}

function onlyOnce(run: () => Promise<void>): () => Promise<void> {
  let outcome: Promise<void> | null = null;
  return () => {
    outcome ??= run();
    return outcome;
  };
}
