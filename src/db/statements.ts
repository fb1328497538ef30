import type { SQLInputValue } from "node:sqlite";

export type Parameters = Readonly<Record<string, SQLInputValue>>;

/**
 * Parameters are named (`:name`). `get` and `all` return rows, `run` the number of changed rows.
 */
export type Statement = {
  kind: "get" | "all" | "run";
  sql: string;
  parameters: Parameters;
  /** Needs no common transaction with other statements; PostgreSQL only. */
  isSingle?: true;
  /** See db/postgres/batched-statements.ts. */
  batchSql?: string;
};

/** Yields statements, so that one definition runs on SQLite immediately and on PostgreSQL with round trips. */
export type Steps<Value> = Generator<Statement, Value, unknown>;

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

/** A translation of SQLite's SQL, in which operations are written. */
export type PostgresQuery = {
  text: string;
  names: readonly string[];
};

const cachedQueries = new Map<string, PostgresQuery>();

/**
 * `CAST(… AS …)` is valid in both dialects. `toSqlite` drops `FOR NO KEY UPDATE`, which unlike `FOR
 * UPDATE` does not block inserts of rows that reference the locked row.
 */
export function toPostgres(sql: string): PostgresQuery {
  const cached = cachedQueries.get(sql);
  if (cached !== undefined) return cached;
  const query = translate(sql);
  cachedQueries.set(sql, query);
  return query;
}

const dialectDifferences =
  /(?<literal>'(?:[^']|'')*')|(?<json>\b\w+)\s*->>\s*(?<path>'[^']*')|\bIS\s+(?<not>NOT\s+)?(?=:|')|:(?<name>\w+)|(?<camel>\b[a-z]+[A-Z]\w*\b)|\bjson_each(?=\()|\bgroup_concat(?=\()|\bINTEGER\b|\bLIKE\b/g;

function translate(sql: string): PostgresQuery {
  const names: string[] = [];

  function placeholder(name: string): string {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  }

  const text = sql.replaceAll(dialectDifferences, (whole, ...matched) => {
    const { literal, json, path, not, name, camel } = matched.at(-1) as Record<
      string,
      string | undefined
    >;
    if (literal !== undefined) return literal;
    if (json !== undefined) return `json_text(${json}, ${path})`;
    if (name !== undefined) return placeholder(name);
    // PostgreSQL folds unquoted names to lower case.
    if (camel !== undefined) return `"${camel}"`;
    if (whole === "json_each") return "json_values";
    if (whole === "group_concat") return "string_agg";
    if (whole === "INTEGER") return "BIGINT";
    if (whole === "LIKE") return "ILIKE";
    return not === undefined ? "IS NOT DISTINCT FROM " : "IS DISTINCT FROM ";
  });
  return { text, names };
}

export const toSqlite = (sql: string): string => sql.replaceAll(" FOR NO KEY UPDATE", "");
