import { EarshotError } from "../lib/errors.ts";
import type { SqliteDatabase } from "./open.ts";
import {
  type ArgsOf,
  type Operations,
  operationSteps,
  type Store,
  type ValueOf,
} from "./operations.ts";
import { storeError } from "./sqlite-errors.ts";
import { runNow } from "./statements.ts";
import type { Thread } from "./threads/thread.ts";

export type StoreThread<Table extends Operations> = Thread<{
  [Name in keyof Table]: (args: ArgsOf<Table[Name]>) => ValueOf<Table[Name]>;
}>;

/** Runs `memory` operations on the calling thread, with a read-only connection. */
export function createThreadStore<Table extends Operations>(
  writer: Pick<StoreThread<Table>, "call">,
  reader: Pick<StoreThread<Table>, "call">,
  operations: Table,
  openHere: () => SqliteDatabase,
): { store: Store<Table>; close(): void } {
  let database: SqliteDatabase | null = null;
  let isClosed = false;

  async function inMemory(name: string, args: unknown): Promise<unknown> {
    if (isClosed) throw storeClosed();
    try {
      database ??= openHere();
      return runNow(operationSteps(operations, name, database.forOperations, args));
    } catch (error) {
      throw storeError(error);
    }
  }

  function close(): void {
    isClosed = true;
    database?.close();
    database = null;
  }

  const store = {
    read: (name: never, args: never) => reader.call(name, args),
    write: (name: never, args: never) => writer.call(name, args),
    inMemory,
  } as Store<Table>;
  return { store, close };
}

const storeClosed = (): EarshotError =>
  new EarshotError("thread_closed", "the control store is closed", {
    status: 503,
    retryable: true,
  });
