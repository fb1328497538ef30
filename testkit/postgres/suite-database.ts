import { inject, test } from "vitest";
import { connectPostgres } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the socket; undefined: services have their store in a file. */
    postgresFolder?: string;
  }
}

/** A test of what is otherwise where the store is in PostgreSQL: in the file, or by a clock that the test moves. */
export const withFileStore = test.skipIf(inject("postgresFolder") !== undefined);

/** For a service of a suite that runs on PostgreSQL (postgres-suite.ts): a fresh database. Otherwise none. */
export async function databaseSettings(): Promise<Record<string, string>> {
  const folder = inject("postgresFolder");
  if (folder === undefined) return {};
  return {
    EARSHOT_DATABASE_URL: await connectPostgres(folder).createDatabase(),
    EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
}
