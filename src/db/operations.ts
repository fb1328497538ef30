import type { SqliteDatabase } from "./open.ts";
import { storeError } from "./sqlite-errors.ts";
import { type Database, runNow, type Steps } from "./statements.ts";

/**
 * Pending writes share a transaction. `durable` writes are on disk when their promise resolves;
 * `relaxed` writes may be lost in a crash. `memory` operations change in-memory state (`perStore`)
 * on a server's event loop, so they may read only a few rows from small tables.
 */
type Mode = "read" | "durable" | "relaxed" | "memory";

export type StoreOperation<Args, Value, M extends Mode = Mode> = {
  mode: M;
  /** Set by `withRowLocks`. */
  hasRowLocks: boolean;
  run: (database: Database, args: Args) => Steps<Value>;
};

export type Operations = Readonly<Record<string, StoreOperation<never, unknown>>>;

export type Read<Args, Value> = StoreOperation<Args, Value, "read">;
export type Write<Args, Value> = StoreOperation<Args, Value, "durable" | "relaxed">;
export type InMemory<Args, Value> = StoreOperation<Args, Value, "memory">;

export function read<Args, Value>(
  run: (database: Database, args: Args) => Steps<Value>,
): Read<Args, Value> {
  return { mode: "read", hasRowLocks: false, run };
}

export function durable<Args, Value>(
  run: (database: Database, args: Args) => Steps<Value>,
): Write<Args, Value> {
  return { mode: "durable", hasRowLocks: false, run };
}

export function relaxed<Args, Value>(
  run: (database: Database, args: Args) => Steps<Value>,
): Write<Args, Value> {
  return { mode: "relaxed", hasRowLocks: false, run };
}

export function memory<Args, Value>(
  run: (database: Database, args: Args) => Steps<Value>,
): InMemory<Args, Value> {
  return { mode: "memory", hasRowLocks: false, run };
}

/**
 * For operations that lock each row they depend on, or check it in the statement that changes it.
 * On PostgreSQL, other operations are serializable and repeated after a conflict.
 */
export function withRowLocks<Table extends Operations>(operations: Table): Table {
  const markedEntries = Object.entries(operations).map(([name, operation]) => [
    name,
    { ...operation, hasRowLocks: true },
  ]);
  // `fromEntries` loses the types.
  return Object.fromEntries(markedEntries) as Table;
}

export function perStore<State>(create: () => State): (database: Database) => State {
  const states = new WeakMap<Database, State>();
  return (database) => {
    const state = states.get(database);
    if (state !== undefined) return state;
    const newState = create();
    states.set(database, newState);
    return newState;
  };
}

export type ArgsOf<O> = O extends StoreOperation<infer Args, unknown> ? Args : never;
export type ValueOf<O> = O extends StoreOperation<never, infer Value> ? Value : never;

type NamesOf<Table, M extends Mode> = {
  [Name in keyof Table]: Table[Name] extends { mode: infer Own }
    ? Own extends M
      ? Name
      : never
    : never;
}[keyof Table] &
  string;

/** Errors: those of the operation, which then has no effect; `store_unavailable`, `thread_died`. */
export type Store<Table> = {
  read<Name extends NamesOf<Table, "read">>(
    name: Name,
    args: ArgsOf<Table[Name]>,
  ): Promise<ValueOf<Table[Name]>>;
  write<Name extends NamesOf<Table, "durable" | "relaxed">>(
    name: Name,
    args: ArgsOf<Table[Name]>,
  ): Promise<ValueOf<Table[Name]>>;
  inMemory<Name extends NamesOf<Table, "memory">>(
    name: Name,
    args: ArgsOf<Table[Name]>,
  ): Promise<ValueOf<Table[Name]>>;
};

export function operationSteps(
  operations: Operations,
  name: string,
  database: Database,
  args: unknown,
): Steps<unknown> {
  return findOperation(operations, name).run(database, args as never);
}

export function findOperation(
  operations: Operations,
  name: string,
): StoreOperation<never, unknown> {
  const operation = operations[name];
  if (operation === undefined) throw new Error(`the control store has no operation ${name}`);
  return operation;
}

/** Runs outside a transaction; for tools and tests. */
export function runOn<Args, Value>(
  { run }: StoreOperation<Args, Value>,
  { forOperations }: SqliteDatabase,
  args: Args,
): Value {
  return runNow(run(forOperations, args));
}

export type Call = { method: string; args: unknown };

export type CallOutcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/**
 * One transaction, with a savepoint per call, so that a failed call does not affect others. The
 * commit is synced if any call is durable; an unsynced commit becomes durable with the next synced
 * one. If the commit fails, all calls fail.
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
    // SQLite rolls back the whole transaction if the disk is full.
    if (!database.inTransaction()) throw thrown;
    database.run("ROLLBACK TO call");
    database.run("RELEASE call");
    return { ok: false, error: storeError(thrown) };
  }
}

function isDurable(operations: Operations, call: Call): boolean {
  return operations[call.method]?.mode === "durable";
}
