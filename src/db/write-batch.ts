import type { SqliteDatabase } from "./open.ts";
import { type Operations, operationSteps } from "./operations.ts";
import { storeError } from "./sqlite-errors.ts";
import { runNow } from "./statements.ts";

export type Call = { method: string; args: unknown };

export type CallOutcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/**
 * One transaction, with a savepoint per call, so that a failed one does not affect others. Synced if any is durable;
 * an unsynced commit becomes durable with the next synced one. If the commit fails, all calls fail.
 */
export function runBatch(
  database: SqliteDatabase,
  operations: Operations,
  calls: readonly Call[],
): readonly CallOutcome[] {
  try {
    database.syncCommits(calls.some((call) => isDurable(operations, call)));
    database.run("BEGIN IMMEDIATE");
    const outcomes = calls.map((call) => runOne(database, operations, call));
    database.run("COMMIT");
    database.emptyLogIfDue();
    return outcomes;
  } catch (thrown) {
    if (database.inTransaction()) database.run("ROLLBACK");
    const error = storeError(thrown);
    return calls.map(() => ({ ok: false, error }));
  }
}

function runOne(database: SqliteDatabase, operations: Operations, call: Call): CallOutcome {
  database.run("SAVEPOINT call");
  try {
    const value = runNow(
      operationSteps(operations, call.method, database.forOperations, call.args),
    );
    database.run("RELEASE call");
    return { ok: true, value };
  } catch (thrown) {
    // SQLite rolls back everything if the disk is full.
    if (!database.inTransaction()) throw thrown;
    database.run("ROLLBACK TO call");
    database.run("RELEASE call");
    return { ok: false, error: storeError(thrown) };
  }
}

function isDurable(operations: Operations, call: Call): boolean {
  return operations[call.method]?.mode === "durable";
}
