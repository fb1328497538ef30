import { read } from "../../src/db/operations.ts";
import { createCalls } from "../../src/db/postgres/calls.ts";
import { migratePostgres } from "../../src/db/postgres/migrate.ts";
import { openPool } from "../../src/db/postgres/pool.ts";
import { postgresDatabase, singleStatement } from "../../src/db/postgres/run-operation.ts";
import type { Parameters } from "../../src/db/statements.ts";
import { registerSearchAnswerer } from "../../src/jobs/submissions/search-operations.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { databaseOperations, jobUuids } from "../../src/server/control/control-database.ts";
import { accounts, type MachineEngine, type MachineStore } from "../job-machine/machine.ts";
import { databaseSettings } from "./suite-database.ts";

const operations = {
  ...databaseOperations,
  getRow: read(function* (_database, { sql, parameters }: { sql: string; parameters: Parameters }) {
    return yield* singleStatement(sql, parameters);
  }),
};

/** A single connection keeps the calls within a tick in order. */
export async function createPostgresEngine(): Promise<MachineEngine> {
  const { EARSHOT_DATABASE_URL: url = "" } = await databaseSettings();
  const options = { url, connections: 1, timeoutMs: 10_000, gateway: "test" };
  const pool = openPool(options);
  await migratePostgres(pool);
  for (const account of accounts) {
    await pool.unsafe("INSERT INTO account(id, created_ms) VALUES($1, 0)", [account]);
  }
  await pool.end();
  return {
    open: async (answer) => {
      registerSearchAnswerer(postgresDatabase, answer);
      const { run, close } = createCalls(options, operations, systemClock, { changedBy: jobUuids });
      return {
        // The names determine the types.
        store: { read: run, write: run, inMemory: run } as MachineStore["store"],
        get: (sql, parameters) => run("getRow", { sql, parameters }) as never,
        close,
      };
    },
    remove: async () => undefined,
  };
}
