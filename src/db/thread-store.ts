import { EarshotError } from "../lib/errors.ts";
import type { Thread } from "../lib/thread.ts";
import type { Database } from "./open.ts";
import { type Operations, runOperation, type Store } from "./operations.ts";
import { storeError } from "./sqlite-errors.ts";

/**
 * One writer and one reader thread; `memory` operations run here, on a read-only connection that `openHere` opens on first use.
 */
export function createThreadStore<Table extends Operations>(
  writer: Thread,
  reader: Thread,
  operations: Table,
  openHere: () => Database,
): { store: Store<Table>; close(): void } {
  let database: Database | null = null;
  let isClosed = false;

  async function inMemory(name: string, args: unknown): Promise<unknown> {
    if (isClosed) throw storeClosed();
    try {
      database ??= openHere();
      return runOperation(operations, name, database, args);
    } catch (error) {
      throw storeError(error);
    }
  }

  function close(): void {
    isClosed = true;
    database?.close();
    database = null;
  }

  // The reply's type follows from the name.
  const store = {
    read: (name, args) => reader.call(name, args),
    write: (name, args) => writer.call(name, args),
    inMemory,
  } as Store<Table>;
  return { store, close };
}

const storeClosed = (): EarshotError =>
  new EarshotError("thread_closed", "the control store is closed", {
    status: 503,
    retryable: true,
  });
