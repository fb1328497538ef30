import { randomBytes } from "node:crypto";
import type { ReaderShare } from "../../archive/threads/archive-threads.ts";
import { folderError } from "../../db/folder-errors.ts";
import type { SqliteDatabase } from "../../db/open.ts";
import { type ArgsOf, runBatch, type Store, type ValueOf } from "../../db/operations.ts";
import type { Notifications } from "../../db/postgres/notifications.ts";
import type { PostgresOptions } from "../../db/postgres/pool.ts";
import type { DatabaseSettings } from "../../db/postgres/settings.ts";
import { createThreadStore, type StoreThread } from "../../db/thread-store.ts";
import { siblingModule, startThread, type ThreadLoad } from "../../db/threads/thread.ts";
import { EarshotError } from "../../lib/errors.ts";
import { ensureSecretKey } from "../../lib/secret-key.ts";
import type { ControlDatabaseThreadData } from "./control-database-thread.ts";
import {
  type ControlOperations,
  controlOperations,
  openControlForReading,
  openControlForWriting,
} from "./control-operations.ts";
import type { ControlThreadData } from "./control-thread.ts";

export type ControlStore = Store<ControlOperations>;

export type Control = {
  store: ControlStore;
  /** `secretKey` encrypts secrets that must be readable again (lib/encryption.ts). */
  secrets: { cursorKey: Buffer; secretKey: Uint8Array };
  load(): readonly (ThreadLoad & { thread: "control_writer" | "control_reader" })[];
  /** Null if no other process shares the store. */
  sharedControl: SharedControl | null;
  /** Until the reader thread has started, the writer thread runs reads. */
  startReader(): Promise<void>;
  /** Completes pending operations, then unlocks the folder. */
  close(): Promise<void>;
};

/** Lock timeout for reads on the event loop; other connections lock only briefly. */
const longestBlockMs = 100;

export const postgresOptions = (
  { url, connections, timeoutMs }: DatabaseSettings,
  gateway: string,
): PostgresOptions | null => (url === null ? null : { url, connections, timeoutMs, gateway });

export type ControlTerms = {
  dataDir: string;
  secretKey?: Uint8Array | null;
  /** If null or absent, the store is a file in the folder. */
  database?: PostgresOptions | null;
  /** If null or absent, the control thread answers no searches. */
  archive?: ReaderShare | null;
};

export type SharedControl = {
  nextNotifications(): Promise<Notifications>;
  lead(): Promise<boolean>;
};

type Stores = {
  store: ControlStore;
  shared: SharedControl | null;
  startReader: Control["startReader"];
  load: Control["load"];
  close(): Promise<void>;
};

/**
 * Without a configured secret key, the folder's own is used, except with a database, which several
 * folders may share. Errors: `folder_in_use`, `newer_schema`, `not_writable`, `disk_full`,
 * `store_unavailable`, `control_missing`, `control_foreign`, `secret_key_missing`,
 * `secret_key_unreadable`, `shared_secret_key_needed`, `copy_unfinished`.
 */
export async function startControl({
  dataDir,
  secretKey: configuredKey = null,
  database = null,
  archive = null,
}: ControlTerms): Promise<Control> {
  if (database !== null && configuredKey === null) throw sharedSecretKeyNeeded();
  const {
    store,
    shared: sharedControl,
    startReader,
    load,
    close,
  } = database === null
    ? startFileThreads(dataDir, archive)
    : await startDatabaseStores({ dataDir, database, archive });
  try {
    const { cursorKey, hasSecrets } = await store.write("open", null);
    const secretKey = configuredKey ?? ensuredSecretKey(dataDir, hasSecrets);
    return {
      store,
      secrets: { cursorKey: Buffer.from(cursorKey), secretKey },
      sharedControl,
      startReader,
      load,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function startFileThreads(dataDir: string, archive: ReaderShare | null): Stores {
  const writer = startControlThread({ dataDir, role: "writer", archive });
  const reader = startControlThread({ dataDir, role: "reader", archive: null });
  let readThread: Pick<typeof reader, "call"> = writer;
  const { store, close: closeStore } = createThreadStore(
    writer,
    { call: (name, args) => readThread.call(name, args) },
    controlOperations,
    () => openControlForReading(dataDir, longestBlockMs),
  );
  return {
    store,
    shared: null,
    startReader: async () => {
      await reader.call("hasSecrets", null).catch(() => undefined);
      readThread = reader;
    },
    load: () => [
      { thread: "control_writer", ...writer.load() },
      { thread: "control_reader", ...reader.load() },
    ],
    close: async () => {
      closeStore();
      await reader.close();
      await writer.close();
    },
  };
}

/** Rates are counted outside the thread, because each request would have to await it. */
async function startDatabaseStores(data: ControlDatabaseThreadData): Promise<Stores> {
  const { openRates, splitConnections } = await import("./control-database.ts");
  const shares = splitConnections(data.database);
  const rates = openRates(shares.rates);
  const thread: StoreThread<ControlOperations> = startThread(
    siblingModule(import.meta.url, "./control-database-thread"),
    { ...data, database: shares.otherCalls },
  );
  // The types follow from the names.
  const call = (name: string, args: unknown) => thread.call(name as never, args as never);
  return {
    store: { read: call, write: call, inMemory: rates.run } as ControlStore,
    shared: {
      nextNotifications: () => call("nextNotifications", null) as Promise<Notifications>,
      lead: () => call("lead", null) as Promise<boolean>,
    },
    startReader: async () => undefined,
    load: () => [{ thread: "control_writer", ...thread.load() }],
    close: async () => {
      await rates.close();
      await thread.close();
    },
  };
}

function sharedSecretKeyNeeded(): EarshotError {
  return new EarshotError(
    "shared_secret_key_needed",
    "EARSHOT_DATABASE_URL requires EARSHOT_SECRET_KEY",
    {
      hint: "set the same key for all gateways: openssl rand -base64 32 generates one",
    },
  );
}

function ensuredSecretKey(dataDir: string, hasSecrets: boolean): Uint8Array {
  try {
    return ensureSecretKey(dataDir, randomBytes, hasSecrets);
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

const startControlThread = (data: ControlThreadData): StoreThread<ControlOperations> =>
  startThread(siblingModule(import.meta.url, "./control-thread"), data);

/** Commands may use it while a server is running. */
export type OpenControl = {
  run<Name extends keyof ControlOperations & string>(
    name: Name,
    args: ArgsOf<ControlOperations[Name]>,
  ): Promise<ValueOf<ControlOperations[Name]>>;
  close(): Promise<void>;
};

export async function openControl({
  dataDir,
  database = null,
}: Pick<ControlTerms, "dataDir" | "database">): Promise<OpenControl> {
  if (database === null) return openControlFile(dataDir);
  const { openControlDatabase } = await import("./control-database.ts");
  const { run, close } = await openControlDatabase(database);
  return { run, close } as OpenControl;
}

function openControlFile(dataDir: string): OpenControl {
  const database = openFileForWriting(dataDir);

  async function run(method: string, args: unknown): Promise<unknown> {
    const [outcome] = runBatch(database, controlOperations, [{ method, args }]);
    if (outcome?.ok) return outcome.value;
    throw outcome?.error;
  }

  return { run, close: async () => database.close() } as OpenControl;
}

function openFileForWriting(dataDir: string): SqliteDatabase {
  try {
    return openControlForWriting(dataDir);
  } catch (error) {
    throw folderError(error, dataDir);
  }
}
