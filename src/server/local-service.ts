import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { createReaderShare } from "../archive/threads/archive-threads.ts";
import { openArchive } from "../archive/threads/open.ts";
import { buildApp } from "../http/app.ts";
import { singleGatewayId } from "../jobs/gateways/gateway.ts";
import type { Runner } from "../jobs/runner.ts";
import { systemClock } from "../lib/clock.ts";
import type { Config } from "./config.ts";
import { type AppContext, createContext } from "./context.ts";
import { startControl } from "./control/control.ts";
import { startNode } from "./roles/node.ts";
import { stopService } from "./stop.ts";
import { orCloseStores, type Stores } from "./stores.ts";

export type LocalService = {
  app: FastifyInstance;
  key: string;
  stop(): Promise<void>;
};

const unlimitedRates = { requestsPerSecond: 1_000_000, submissionsPerMinute: 1_000_000 };

/**
 * A private service: reads the archive of the data folder, which a running server may also use, and
 * keeps its jobs in a temporary folder. It has no socket, stream, compaction or stored credentials.
 * Errors: those of `openArchive`.
 */
export async function startLocalService(baseConfig: Config): Promise<LocalService> {
  const folder = await mkdtemp(join(tmpdir(), "earshot-local-"));
  const config: Config = {
    ...baseConfig,
    data: { ...baseConfig.data, dir: folder, secretKey: null },
  };
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const stores = await openStores(baseConfig, folder);
    const context = await orCloseStores(stores, () => createContext(config, stores, {}));
    const { app, key, stop } = await startParts(context);
    return { app, key, stop: () => stop().then(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/** If a part fails, stops everything. */
async function startParts(context: AppContext): Promise<LocalService> {
  const app = buildApp(context.http);
  let node: Runner | null = null;
  const stop = () => stopService(context, app, node);
  try {
    await context.queue.start();
    await context.nodes.start();
    await app.ready();
    node = startNode(context);
    const { token: key } = await context.store.write("createKey", {
      name: "local",
      accountName: null,
      ...unlimitedRates,
      nowMs: context.clock.now(),
    });
    return { app, key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openStores({ data }: Config, folder: string): Promise<Stores> {
  const { dir: dataDir, secretKey: _, ...settings } = data;
  const sharedReaders = createReaderShare({ dataDir, ...settings, readers: settings.readers + 1 });
  const archive = await openArchive({
    dataDir,
    ...settings,
    share: sharedReaders,
    clock: systemClock,
  });
  const control = await startControl({ dataDir: folder, archive: sharedReaders }).catch(
    async (error: unknown) => {
      await archive.close();
      throw error;
    },
  );
  return { gateway: singleGatewayId, control, archive, onWarning: () => undefined };
}
