import type { Database } from "./open.ts";
import { type Operations, runOperation, type Store } from "./operations.ts";
import { type Call, type Outcome, runBatch } from "./write-batch.ts";

/** Operations on the calling thread, one commit per tick. Blocks the event loop: for tests and tools. */
export function createLocalStore<Table extends Operations>(
  database: Database,
  operations: Table,
): Store<Table> {
  let waiting: (Call & { settle: (outcome: Outcome) => void })[] = [];

  function flush(): void {
    const calls = waiting;
    waiting = [];
    const outcomes = runBatch(database, operations, calls);
    for (const [index, outcome] of outcomes.entries()) calls[index]?.settle(outcome);
  }

  function write(method: string, args: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome) =>
        outcome.ok ? resolve(outcome.value) : reject(outcome.error);
      waiting.push({ method, args, settle });
      if (waiting.length === 1) queueMicrotask(flush);
    });
  }

  async function read(method: string, args: unknown): Promise<unknown> {
    return runOperation(operations, method, database, args);
  }

  // The return type follows from the name.
  return { read, write, inMemory: read } as Store<Table>;
}
