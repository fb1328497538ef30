import type { SQLInputValue } from "node:sqlite";

export type Parameters = Readonly<Record<string, SQLInputValue>>;

/**
 * Parameters are named (`:name`). `get` and `all` return rows, `run` the number of changed rows.
 */
export type Statement = {
  kind: "get" | "all" | "run";
  sql: string;
  parameters: Parameters;
  /** In its own transaction; PostgreSQL only. */
  isSingle?: true;
  /** See db/postgres/batched-statements.ts. */
  batchSql?: string;
};

/** Yields statements, so that one definition runs on SQLite immediately and on PostgreSQL with round trips. */
export type Steps<Value> = Generator<Statement, Value, unknown>;

/** Each operation on it is one transaction. */
export type Database = {
  get<Row>(sql: string, parameters?: Parameters): Steps<Row | undefined>;
  all<Row>(sql: string, parameters?: Parameters): Steps<Row[]>;
  run(sql: string, parameters?: Parameters): Steps<number>;
  /** Removes deleted data from the files soon. */
  emptyLogSoon(): void;
};

type SynchronousDatabase = {
  get<Row>(sql: string, parameters?: Parameters): Row | undefined;
  all<Row>(sql: string, parameters?: Parameters): Row[];
  run(sql: string, parameters?: Parameters): number;
  emptyLogSoon(): void;
};

/** Yields no statement. */
export function immediateDatabase(database: SynchronousDatabase): Database {
  return {
    // biome-ignore-start lint/correctness/useYield: no statement waits.
    *get<Row>(sql: string, parameters?: Parameters): Steps<Row | undefined> {
      return database.get(sql, parameters);
    },
    *all<Row>(sql: string, parameters?: Parameters): Steps<Row[]> {
      return database.all(sql, parameters);
    },
    *run(sql: string, parameters?: Parameters): Steps<number> {
      return database.run(sql, parameters);
    },
    // biome-ignore-end lint/correctness/useYield: no statement waits.
    emptyLogSoon: database.emptyLogSoon,
  };
}

export function runNow<Value>(steps: Steps<Value>): Value {
  const step = steps.next();
  if (step.done !== true) throw new Error("a statement was yielded instead of run");
  return step.value;
}

export function* mapNonNull<Item, Value>(
  items: readonly Item[],
  makeSteps: (item: Item) => Steps<Value | null>,
): Steps<Value[]> {
  const values: Value[] = [];
  for (const item of items) {
    const value = yield* makeSteps(item);
    if (value !== null) values.push(value);
  }
  return values;
}
