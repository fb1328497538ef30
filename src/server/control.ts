import { extname } from "node:path";
import type { ArgsOf, Store, ValueOf } from "../db/operations.ts";
import { createThreadStore } from "../db/thread-store.ts";
import { runBatch } from "../db/write-batch.ts";
import { startThread, type Thread } from "../lib/thread.ts";
import {
  type ControlOperations,
  controlOperations,
  openControlForWriting,
} from "./control-operations.ts";
import type { ControlThreadData } from "./control-thread.ts";

export type ControlStore = Store<ControlOperations>;

/** The control store of a running server. */
export type Control = {
  store: ControlStore;
  secrets: { cursorKey: Buffer };
  /** Finishes what was asked, then lets go of the folder. */
  close(): Promise<void>;
};

/**
 * Takes a data folder for this server: makes what is missing and starts the threads that read and write.
 * Errors: `folder_in_use`, `newer_schema`, `store_unavailable`.
 */
export async function startControl({ dataDir }: { dataDir: string }): Promise<Control> {
  const writer = startControlThread({ dataDir, role: "writer" });
  const reader = startControlThread({ dataDir, role: "reader" });
  const store = createThreadStore<ControlOperations>(writer, reader);

  async function close(): Promise<void> {
    await reader.close();
    await writer.close();
  }

  try {
    await store.write("open", null);
    const cursorKey = Buffer.from(await store.read("readSecret", { name: "cursor_key" }));
    return { store, secrets: { cursorKey }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The control store of a command that works beside the server, on this thread. */
export type OpenControl = {
  /** Runs one operation; what it changed is on disk. Throws its errors. */
  run<Name extends keyof ControlOperations & string>(
    name: Name,
    args: ArgsOf<ControlOperations[Name]>,
  ): ValueOf<ControlOperations[Name]>;
  close(): void;
};

export function openControl(dataDir: string): OpenControl {
  const database = openControlForWriting(dataDir);

  function run(method: string, args: unknown): unknown {
    const [outcome] = runBatch(database, controlOperations, [{ method, args }]);
    if (outcome?.ok) return outcome.value;
    throw outcome?.error;
  }

  // What an operation returned is the value of its name.
  return { run, close: () => database.close() } as OpenControl;
}

function startControlThread(data: ControlThreadData): Thread {
  // `.ts` in a checkout, `.js` where it was built.
  const module = `./control-thread${extname(import.meta.url)}`;
  return startThread(new URL(module, import.meta.url), data);
}
