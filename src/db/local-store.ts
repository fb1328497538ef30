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
  let waiting: (Call & { settle: (outcome: CallOutcome) => void })[] = [];

  function flush(): void {
    const calls = waiting;
    waiting = [];
    const outcomes = runBatch(database, operations, calls);
    for (const [index, outcome] of outcomes.entries()) calls[index]?.settle(outcome);
  }

  function write(method: string, args: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: CallOutcome) =>
        outcome.ok ? resolve(outcome.value) : reject(outcome.error);
      waiting.push({ method, args, settle });
      if (waiting.length === 1) queueMicrotask(flush);
    });
  }

  async function read(method: string, args: unknown): Promise<unknown> {
    return runNow(operationSteps(operations, method, database.forOperations, args));
  }

  return { read, write, inMemory: read } as Store<Table>;
}
