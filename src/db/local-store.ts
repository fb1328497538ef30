import type { Database } from "./open.ts";
import { type Operations, runOperation, type Store } from "./operations.ts";
import { type Call, type Outcome, runBatch } from "./write-batch.ts";

/**
 * A store on this thread's own connection: the same operations, the same commits (one a tick), no threads. For tests and
 * tools; it holds the event loop while it works.
 */
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

  // What an operation returned is the value of its name.
  return { read, write, inMemory: read } as Store<Table>;
}
