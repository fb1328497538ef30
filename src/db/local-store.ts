import type { SqliteDatabase } from "./open.ts";
import {
  type Call,
  type CallOutcome,
  type Operations,
  operationSteps,
  runBatch,
  type Store,
} from "./operations.ts";
import { runNow } from "./statements.ts";

/** Blocks the event loop; for tests and tools. */
export function createLocalStore<Table extends Operations>(
  database: SqliteDatabase,
  operations: Table,
): Store<Table> {
  let pendingCalls: (Call & { settle: (outcome: CallOutcome) => void })[] = [];

  function flush(): void {
    const calls = pendingCalls;
    pendingCalls = [];
    const outcomes = runBatch(database, operations, calls);
    for (const [index, outcome] of outcomes.entries()) calls[index]?.settle(outcome);
  }

  function write(method: string, args: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: CallOutcome) =>
        outcome.ok ? resolve(outcome.value) : reject(outcome.error);
      pendingCalls.push({ method, args, settle });
      if (pendingCalls.length === 1) queueMicrotask(flush);
    });
  }

  async function read(method: string, args: unknown): Promise<unknown> {
    return runNow(operationSteps(operations, method, database.forOperations, args));
  }

  return { read, write, inMemory: read } as Store<Table>;
}
