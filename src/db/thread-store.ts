import { EarshotError } from "../lib/errors.ts";
import type { SqliteDatabase } from "./open.ts";
import {
  type ArgsOf,
  type Operations,
  operationSteps,
  runBatch,
  type Store,
  type ValueOf,
} from "./operations.ts";
import { storeError } from "./sqlite-errors.ts";
import { runNow } from "./statements.ts";
import type { ThreadCall, ThreadReply } from "./threads/messages.ts";
import { failedReply, reply, serveBatches, serveInSlices } from "./threads/serve.ts";
import type { Thread } from "./threads/thread.ts";

export type StoreThread<Table extends Operations> = Thread<{
  [Name in keyof Table]: (args: ArgsOf<Table[Name]>) => ValueOf<Table[Name]>;
}>;

/** Runs `memory` operations on the calling thread, with a read-only connection. */
export function createThreadStore<Table extends Operations>(
  writer: Pick<StoreThread<Table>, "call">,
  reader: Pick<StoreThread<Table>, "call">,
  operations: Table,
  openDatabase: () => SqliteDatabase,
): { store: Store<Table>; close(): void } {
  let database: SqliteDatabase | null = null;
  let isClosed = false;

  async function inMemory(name: string, args: unknown): Promise<unknown> {
    if (isClosed) throw storeClosed();
    try {
      database ??= openDatabase();
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

export type OpenStore = { database: SqliteDatabase; close(): void };

/** Size of the next batch, at least 1. */
export type BatchSize = (pendingCalls: readonly ThreadCall[]) => number;

/** If `open` fails, so does the batch; the next one retries. Default size: all pending calls. */
export function serveWrites(
  operations: Operations,
  open: () => OpenStore,
  batchSize: BatchSize = ({ length }) => length,
): void {
  const store = openLazily(open);
  const pendingCalls: ThreadCall[] = [];
  serveInSlices(
    {
      add: (call) => pendingCalls.push(call),
      runSlice: () => {
        const calls = pendingCalls.splice(0, batchSize(pendingCalls));
        return store.run(calls, (database) => runWrites(database, operations, calls));
      },
      isIdle: () => pendingCalls.length === 0,
    },
    store.close,
  );
}

function runWrites(
  database: SqliteDatabase,
  operations: Operations,
  calls: readonly ThreadCall[],
): readonly ThreadReply[] {
  const outcomes = runBatch(database, operations, calls);
  return calls.map((call, index) =>
    reply(call, () => {
      const outcome = outcomes[index];
      if (outcome?.ok) return outcome.value;
      throw outcome?.error;
    }),
  );
}

export function serveReads(operations: Operations, open: () => OpenStore): void {
  const store = openLazily(open);
  serveBatches(
    (calls) =>
      store.run(calls, (database) => calls.map((call) => read(database, operations, call))),
    store.close,
  );
}

const read = (database: SqliteDatabase, operations: Operations, call: ThreadCall): ThreadReply =>
  reply(call, () => {
    try {
      return runNow(operationSteps(operations, call.method, database.forOperations, call.args));
    } catch (error) {
      throw storeError(error);
    }
  });

function openLazily(open: () => OpenStore): {
  run(
    calls: readonly ThreadCall[],
    work: (database: SqliteDatabase) => readonly ThreadReply[],
  ): readonly ThreadReply[];
  close(): void;
} {
  let store: OpenStore | null = null;
  return {
    run: (calls, work) => {
      try {
        store ??= open();
      } catch (error) {
        const cause = storeError(error);
        return calls.map((call) => failedReply(call, cause));
      }
      return work(store.database);
    },
    close: () => store?.close(),
  };
}
