import { toPostgres } from "../dialect.ts";
import type { Operation } from "../operations.ts";
import type { Database, Statement, Steps } from "../statements.ts";
import { isConflict, isDuplicate, postgresError } from "./errors.ts";
import type { Connection, Pool } from "./pool.ts";

/** Yields each statement; `runOperation` sends it and continues with its result. */
export const postgresDatabase: Database = {
  *get<Row>(sql: string, parameters = {}): Steps<Row | undefined> {
    return (yield { kind: "get", sql, parameters }) as Row | undefined;
  },
  *all<Row>(sql: string, parameters = {}): Steps<Row[]> {
    return (yield { kind: "all", sql, parameters }) as Row[];
  },
  *run(sql: string, parameters = {}): Steps<number> {
    return (yield { kind: "run", sql, parameters }) as number;
  },
  // PostgreSQL removes deleted rows when it vacuums.
  emptyLogSoon: () => undefined,
};

const mostAttempts = 10;

/**
 * Reads and operations on rates send their statements one by one. A write is one transaction: READ COMMITTED if it is `byRow`,
 * otherwise SERIALIZABLE, and repeated after a conflict. Only `durable` writes wait for the disk. Errors: those of the operation;
 * `store_unavailable`, `storage_full`.
 */
export async function runOperation(
  pool: Pool,
  operation: Operation<never, unknown>,
  args: unknown,
): Promise<unknown> {
  // The Store's types checked the arguments.
  const steps = () => operation.run(postgresDatabase, args as never);
  try {
    if (operation.mode === "read" || operation.mode === "memory") {
      return await runSteps(pool, steps());
    }
    return await runTransaction(pool, beginning(operation), steps);
  } catch (error) {
    throw postgresError(error);
  }
}

function beginning({ mode, isByRow }: Operation<never, unknown>): string {
  const isolation = isByRow ? "READ COMMITTED" : "SERIALIZABLE";
  const unsynced = mode === "durable" ? "" : "; SET LOCAL synchronous_commit TO off";
  return `BEGIN ISOLATION LEVEL ${isolation}${unsynced}`;
}

async function runTransaction(
  pool: Pool,
  begin: string,
  steps: () => Steps<unknown>,
): Promise<unknown> {
  const connection = await pool.reserve();
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await runOnce(connection, begin, steps());
      } catch (error) {
        const isRepeated = isConflict(error) || isDuplicate(error);
        if (!isRepeated || attempt === mostAttempts) throw error;
      }
    }
  } finally {
    connection.release();
  }
}

async function runOnce(
  connection: Connection,
  begin: string,
  steps: Steps<unknown>,
): Promise<unknown> {
  // Sent with the first statement. If it fails, so does each statement behind it.
  const begun = connection.unsafe(begin).execute();
  begun.catch(() => undefined);
  try {
    const value = await runSteps(connection, steps);
    await begun;
    const { command } = await connection.unsafe("COMMIT");
    if (command !== "COMMIT") throw new Error(`the transaction ended with ${command}`);
    return value;
  } catch (error) {
    await connection.unsafe("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function runSteps(connection: Pool | Connection, steps: Steps<unknown>): Promise<unknown> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await answerOf(connection, step.value));
  return step.value;
}

async function answerOf(
  connection: Pool | Connection,
  { kind, sql, parameters }: Statement,
): Promise<unknown> {
  const { text, names } = toPostgres(sql);
  const values = names.map((name) => parameters[name] ?? null);
  // The driver's type leaves out that bytes are a Uint8Array.
  const result = await connection.unsafe(text, values as never[], { prepare: true });
  if (kind === "run") return result.count;
  return kind === "get" ? result[0] : [...result];
}
