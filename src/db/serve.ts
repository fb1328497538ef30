import {
  failedReply,
  reply,
  serveThread,
  type ThreadCall,
  type ThreadReply,
} from "../lib/thread.ts";
import type { Database } from "./open.ts";
import { type Operations, runOperation } from "./operations.ts";
import { storeError } from "./sqlite-errors.ts";
import { runBatch } from "./write-batch.ts";

export type Served = { database: Database; close(): void };

/** Serves writes on this worker thread. `open` runs at the first call; one that fails fails the calls and is tried again. */
export function serveWrites(operations: Operations, open: () => Served): void {
  serve(open, (database, calls) => {
    const outcomes = runBatch(database, operations, calls);
    return calls.map((call, index) =>
      reply(call, () => {
        const outcome = outcomes[index];
        if (outcome?.ok) return outcome.value;
        throw outcome?.error;
      }),
    );
  });
}

/** Serves reads on this worker thread. */
export function serveReads(operations: Operations, open: () => Served): void {
  serve(open, (database, calls) =>
    calls.map((call) =>
      reply(call, () => {
        try {
          return runOperation(operations, call.method, database, call.args);
        } catch (error) {
          throw storeError(error);
        }
      }),
    ),
  );
}

function serve(
  open: () => Served,
  answer: (database: Database, calls: readonly ThreadCall[]) => readonly ThreadReply[],
): void {
  let served: Served | null = null;
  serveThread(
    (calls) => {
      try {
        served ??= open();
      } catch (error) {
        const cause = storeError(error);
        return calls.map((call) => failedReply(call, cause));
      }
      return answer(served.database, calls);
    },
    () => served?.close(),
  );
}
