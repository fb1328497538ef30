import { EarshotError } from "../lib/errors.ts";
import type { Thread } from "../lib/thread.ts";
import type { Database } from "./open.ts";
import { type Operations, runOperation, type Store } from "./operations.ts";
import { storeError } from "./sqlite-errors.ts";

/**
 * A store whose writes run on one thread and whose reads run on another. What it keeps in memory is the caller's own thread's:
 * `openHere` opens a connection for it at the first call, which reads only.
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

  // What a thread answers to a name is what the operation of that name returned.
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
