import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Runner } from "../jobs/runner.ts";
import { systemClock } from "../lib/clock.ts";
import { cleartextWarning } from "./cleartext.ts";
import type { Config } from "./config.ts";
import type { AppContext, ContextOverrides } from "./context.ts";
import { startLine } from "./start-line.ts";
import { requireStartResources } from "./start-resources.ts";
import { stopService } from "./stop.ts";
import { closeStores, openStores, orCloseStores, type Stores } from "./stores.ts";

export type Service = {
  url: string;
  app: FastifyInstance;
  context: AppContext;
  /** Ends at most 1.5 s after EARSHOT_STOP_GRACE. */
  stop(): Promise<void>;
};

/**
 * Listens once the stores are open; `/readyz` also waits for a reader. If a part fails, closes
 * everything.
 */
export async function startService(
  config: Config,
  overrides: ContextOverrides = {},
): Promise<Service> {
  await requireStartResources(config.data);
  const pendingStores = openStores(config, overrides.clock ?? systemClock);
  pendingStores.catch(() => undefined);
  // The store threads open their files while this thread loads the modules.
  await yieldToEventLoop();
  const [{ createContext }, { startNode }, { buildApp }] = await Promise.all([
    import("./context.ts"),
    import("./roles/node.ts"),
    import("../http/app.ts"),
  ]).catch(async (error: unknown) => {
    await pendingStores.then(closeStores, () => undefined);
    throw error;
  });
  const stores = await pendingStores;
  const context = await orCloseStores(stores, () => createContext(config, stores, overrides));
  context.log.info(startLine(config), "starting");
  const warning = cleartextWarning(config);
  if (warning !== null) context.log.warn(warning);
  let node: Runner | null = null;
  let openedApp: FastifyInstance | null = null;
  try {
    const restoring = restore(context);
    restoring.catch(() => undefined);
    await yieldToEventLoop();
    const app = buildApp(context.http);
    openedApp = app;
    await restoring;
    const { host, port } = config.http;
    const url = await app.listen({ host, port });
    node = startNode(context);
    context.accountFinalizer.start();
    context.sender.start();
    context.ingest.start(context);
    context.usage.start();
    context.log.info({ url }, "listening");
    context.sweeps.start();
    startReaders(stores, config.data.readers).catch(() => undefined);
    const stop = onlyOnce(() => {
      context.sweeps.stop();
      context.sharing.stop();
      return stopService(context, app, node);
    });
    return { url, app, context, stop };
  } catch (error) {
    context.sharing.stop();
    await Promise.allSettled([
      openedApp?.close(),
      node?.stop(),
      context.queue.stop(),
      context.nodes.stop(),
      context.accountFinalizer.stop(),
      context.sender.stop(),
      context.ingest.stop(),
    ]);
    await Promise.all([context.upstreams.stop(), context.usage.stop()]);
    await context.close();
    throw error;
  }
}

async function restore({ http, queue, nodes, sharing }: AppContext): Promise<void> {
  await http.limiter.restore();
  await queue.start();
  sharing.start(queue);
  await nodes.start();
}

/** One call per reader, so that no request waits for a reader to start. */
async function startReaders(
  { control, archive }: Pick<Stores, "control" | "archive">,
  readers: number,
): Promise<void> {
  await control.startReader();
  await Promise.all(Array.from({ length: readers }, () => archive.ping()));
}

function onlyOnce(run: () => Promise<void>): () => Promise<void> {
  let outcome: Promise<void> | null = null;
  return () => {
    outcome ??= run();
    return outcome;
  };
}
