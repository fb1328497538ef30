import type { StoreOperation } from "../operations.ts";
import {
  type Database,
  type Parameters,
  type Statement,
  type Steps,
  toPostgres,
} from "../statements.ts";
import { sendBatched } from "./batched-statements.ts";
import { isConflict, isDuplicate, postgresError } from "./errors.ts";
import type { Pool, Transaction } from "./pool.ts";

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

/** Takes one round trip, unless an earlier statement has begun a transaction. */
export function* singleStatement<Row>(sql: string, parameters: Parameters): Steps<Row | undefined> {
  return (yield { kind: "get", sql, parameters, isSingle: true }) as Row | undefined;
}

/** The parameters must be JSON values. */
export function* batchableStatement<Row>(
  { sql, batchSql }: { sql: string; batchSql: string },
  parameters: Parameters,
): Steps<Row | undefined> {
  return (yield { kind: "get", sql, parameters, isSingle: true, batchSql }) as Row | undefined;
}

/** Always runs in a batch, which may contain a single call. */
export function* batchStatement<Row>(
  batchSql: string,
  parameters: Parameters,
): Steps<Row | undefined> {
  return yield* batchableStatement<Row>({ sql: batchSql, batchSql }, parameters);
}

/** `batchPool` runs batches, one at a time. */
type Pools = { pool: Pool; batchPool: Pool };

const maxAttempts = 10;

/**
 * After any single statements, a write is one transaction: READ COMMITTED with `hasRowLocks`,
 * otherwise SERIALIZABLE. It is repeated after a conflict. Only `durable` writes wait for the
 * disk. Errors: those of the operation; `store_unavailable`, `storage_full`.
 */
export async function runOperation(
  pool: Pool,
  operation: StoreOperation<never, unknown>,
  args: unknown,
  batchPool: Pool = pool,
): Promise<unknown> {
  const { mode } = operation;
  const steps = () => operation.run(postgresDatabase, args as never);
  const pools = { pool, batchPool };
  try {
    if (mode === "read" || mode === "memory") return await runReads(pools, steps());
    return await runWrite(pools, operation, steps);
  } catch (error) {
    throw postgresError(error);
  }
}

async function runWrite(
  pools: Pools,
  { hasRowLocks, mode }: StoreOperation<never, unknown>,
  steps: () => Steps<unknown>,
): Promise<unknown> {
  const isSynced = mode === "durable";
  const isolation = `ISOLATION LEVEL ${hasRowLocks ? "READ COMMITTED" : "SERIALIZABLE"}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(pools, { isolation, isSynced }, steps());
    } catch (error) {
      const isRetryable = isConflict(error) || isDuplicate(error);
      if (!isRetryable || attempt === maxAttempts) throw error;
    }
  }
}

async function runOnce(
  pools: Pools,
  { isolation, isSynced }: { isolation: string; isSynced: boolean },
  steps: Steps<unknown>,
): Promise<unknown> {
  let step = steps.next();
  while (step.done !== true && step.value.isSingle === true) {
    step = steps.next(await sendAlone(pools, step.value));
  }
  if (step.done === true) return step.value;
  const firstStatement = step.value;
  return await pools.pool.begin(isolation, (transaction) => {
    if (!isSynced) void transaction.unsafe("SET LOCAL synchronous_commit TO off").execute();
    return runSteps(transaction, steps, firstStatement);
  });
}

async function runReads(pools: Pools, steps: Steps<unknown>): Promise<unknown> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await sendAlone(pools, step.value));
  return step.value;
}

async function runSteps(
  connection: Transaction,
  steps: Steps<unknown>,
  firstStatement: Statement,
): Promise<unknown> {
  let step = steps.next(await execute(connection, firstStatement));
  while (step.done !== true) step = steps.next(await execute(connection, step.value));
  return step.value;
}

function sendAlone({ pool, batchPool }: Pools, statement: Statement): Promise<unknown> {
  const { batchSql } = statement;
  if (batchSql === undefined) return execute(pool, statement);
  return sendBatched(batchPool, { ...statement, batchSql }, (sent) => execute(batchPool, sent));
}

async function execute(
  connection: Pool | Transaction,
  { kind, sql, parameters }: Statement,
): Promise<unknown> {
  const { text, names } = toPostgres(sql);
  const values = names.map((name) => parameters[name] ?? null);
  // The driver's type omits Uint8Array for bytes.
  const result = await connection.unsafe(text, values as never[], { prepare: true });
  if (kind === "run") return result.count;
  return kind === "get" ? result[0] : [...result];
}
