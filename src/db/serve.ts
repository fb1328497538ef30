import type { SqliteDatabase } from "./open.ts";
import { type Operations, operationSteps } from "./operations.ts";
import { storeError } from "./sqlite-errors.ts";
import { runNow } from "./statements.ts";
import type { ThreadCall, ThreadReply } from "./threads/messages.ts";
import { failedReply, reply, serveBatches, serveInSlices } from "./threads/serve.ts";
import { runBatch } from "./write-batch.ts";

export type OpenStore = { database: SqliteDatabase; close(): void };

/** Size of the next batch, at least 1. */
export type BatchSize = (waiting: readonly ThreadCall[]) => number;

/** If `open` fails, so does the batch; the next call retries. Default: all pending calls. */
export function serveWrites(
  operations: Operations,
  open: () => OpenStore,
  batchSize: BatchSize = ({ length }) => length,
): void {
  const store = lazilyOpened(open);
  const waiting: ThreadCall[] = [];
  serveInSlices(
    {
      add: (call) => waiting.push(call),
      runSlice: () => {
        const calls = waiting.splice(0, batchSize(waiting));
        return store.run(calls, (database) => runWrites(database, operations, calls));
      },
      isIdle: () => waiting.length === 0,
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
  const store = lazilyOpened(open);
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

function lazilyOpened(open: () => OpenStore): {
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
