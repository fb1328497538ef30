import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { createReaderShare } from "../archive/threads/archive-threads.ts";
import { openArchive } from "../archive/threads/open.ts";
import { buildApp } from "../http/app.ts";
import { singleGatewayId } from "../jobs/gateways/gateway.ts";
import { systemClock } from "../lib/clock.ts";
import type { Config } from "./config.ts";
import { createContext } from "./context.ts";
import { startControl } from "./control/control.ts";
import { startNode } from "./roles/node.ts";
import { stopService } from "./stop.ts";
import { closeStores, type Stores } from "./stores.ts";

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
  let stores: Stores | null = null;
  try {
    stores = await openStores(baseConfig, folder);
    const context = createContext(config, stores, {});
    await context.queue.start();
    await context.nodes.start();
    const app = buildApp(context.http);
    await app.ready();
    const node = startNode(context);
    const { token: key } = await context.store.write("createKey", {
      name: "local",
      accountName: null,
      ...unlimitedRates,
      nowMs: context.clock.now(),
    });
    const stop = async (): Promise<void> => {
      await stopService(context, app, node);
      await rm(folder, { recursive: true, force: true });
    };
    return { app, key, stop };
  } catch (error) {
    if (stores !== null) await closeStores(stores);
    await rm(folder, { recursive: true, force: true });
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
