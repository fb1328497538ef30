import { randomBytes } from "node:crypto";
import type { ReaderShare } from "../archive/threads/archive-threads.ts";
import { folderError } from "../db/folder-errors.ts";
import type { SqliteDatabase } from "../db/open.ts";
import type { ArgsOf, Store, ValueOf } from "../db/operations.ts";
import { createThreadStore, type StoreThread } from "../db/thread-store.ts";
import { siblingModule, startThread, type ThreadLoad } from "../db/threads/thread.ts";
import { runBatch } from "../db/write-batch.ts";
import { ensureSecretKey } from "../lib/secret-key.ts";
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
  /** Completes pending operations, then unlocks the folder. */
  close(): Promise<void>;
};

/** Lock timeout of reads on the event loop; other connections lock only briefly. */
const longestBlockMs = 100;

/**
 * Creates what is missing and starts the reader and writer threads. Without a configured secret key, the folder has its own.
 * Errors: `folder_in_use`, `newer_schema`, `not_writable`, `disk_full`, `store_unavailable`, `control_missing`,
 * `control_foreign`, `secret_key_missing`, `secret_key_unreadable`.
 */
export async function startControl({
  dataDir,
  secretKey: configured = null,
  archive = null,
}: {
  dataDir: string;
  secretKey?: Uint8Array | null;
  /** For short searches on the writer thread; absent: none. */
  archive?: ReaderShare | null;
}): Promise<Control> {
  const writer = startControlThread({ dataDir, role: "writer", archive });
  const reader = startControlThread({ dataDir, role: "reader", archive: null });
  const { store, close: closeHere } = createThreadStore(writer, reader, controlOperations, () =>
    openControlForReading(dataDir, longestBlockMs),
  );

  const load: Control["load"] = () => [
    { thread: "control_writer", ...writer.load() },
    { thread: "control_reader", ...reader.load() },
  ];

  async function close(): Promise<void> {
    closeHere();
    await reader.close();
    await writer.close();
  }

  try {
    const { cursorKey, holdsSecrets } = await store.write("open", null);
    // Starts while the service is built.
    reader.call("holdsSecrets", null).catch(() => undefined);
    const secretKey = configured ?? ensuredSecretKey(dataDir, holdsSecrets);
    return { store, secrets: { cursorKey: Buffer.from(cursorKey), secretKey }, load, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function ensuredSecretKey(dataDir: string, holdsSecrets: boolean): Uint8Array {
  try {
    return ensureSecretKey(dataDir, randomBytes, holdsSecrets);
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

/** For commands, on this thread; safe beside a server. */
export type OpenControl = {
  /** The change is on disk when it returns. */
  run<Name extends keyof ControlOperations & string>(
    name: Name,
    args: ArgsOf<ControlOperations[Name]>,
  ): ValueOf<ControlOperations[Name]>;
  close(): void;
};

export function openControl(dataDir: string): OpenControl {
  const database = openedForCommand(dataDir);

  function run(method: string, args: unknown): unknown {
    const [outcome] = runBatch(database, controlOperations, [{ method, args }]);
    if (outcome?.ok) return outcome.value;
    throw outcome?.error;
  }

  return { run, close: () => database.close() } as OpenControl;
}

function openedForCommand(dataDir: string): SqliteDatabase {
  try {
    return openControlForWriting(dataDir);
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

const startControlThread = (data: ControlThreadData): StoreThread<ControlOperations> =>
  startThread(siblingModule(import.meta.url, "./control-thread"), data);
