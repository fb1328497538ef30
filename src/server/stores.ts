import { randomUUID } from "node:crypto";
import { createReaderShare } from "../archive/threads/archive-threads.ts";
import { type OpenArchive, openArchive } from "../archive/threads/open.ts";
import { singleGatewayId } from "../jobs/gateways/gateway.ts";
import type { Clock } from "../lib/clock.ts";
import type { Config } from "./config.ts";
import { type Control, postgresOptions, startControl } from "./control/control.ts";

export type Stores = {
  control: Control;
  /** Unique among the processes that share the control store. */
  gateway: string;
  archive: OpenArchive;
  onWarning(listener: (message: string) => void): void;
};

/** If one store fails to open, closes the other. */
export async function openStores(config: Config, clock: Clock): Promise<Stores> {
  const gateway = config.database.url === null ? singleGatewayId : randomUUID();
  const { dir: dataDir, secretKey, ...settings } = config.data;
  const warnings: string[] = [];
  let warn = (message: string): unknown => warnings.push(message);
  // The control thread also reads the archive.
  const share = createReaderShare({ dataDir, ...settings, readers: settings.readers + 1 });
  const [control, archive] = await Promise.allSettled([
    startControl({
      dataDir,
      secretKey,
      database: postgresOptions(config.database, gateway),
      archive: share,
    }),
    openArchive({
      dataDir,
      ...settings,
      share,
      compaction: "on",
      clock,
      onWarning: (message) => warn(message),
    }),
  ]);
  if (control.status === "fulfilled" && archive.status === "fulfilled") {
    const onWarning = (listener: (message: string) => void): void => {
      warn = listener;
      for (const message of warnings) listener(message);
    };
    return { gateway, control: control.value, archive: archive.value, onWarning };
  }
  if (control.status === "fulfilled") await control.value.close();
  if (archive.status === "fulfilled") await archive.value.close();
  throw control.status === "rejected" ? control.reason : outcomeError(archive);
}

export async function closeStores({
  control,
  archive,
}: Pick<Stores, "control" | "archive">): Promise<void> {
  await Promise.all([control.close(), archive.close()]);
}

/** If `create` fails, closes both stores. */
export async function orCloseStores<Value>(stores: Stores, create: () => Value): Promise<Value> {
  try {
    return create();
  } catch (error) {
    await closeStores(stores);
    throw error;
  }
}

function outcomeError(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === "rejected" ? outcome.reason : null;
}
