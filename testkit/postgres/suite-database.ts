import { env } from "node:process";
import { inject, test } from "vitest";
import { connectPostgres } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket's folder. If absent, services use SQLite files. */
    postgresFolder?: string;
  }
}

/** Undefined in benchmarks, which run outside Vitest. */
const suiteFolder = (): string | undefined =>
  env.VITEST === undefined ? undefined : inject("postgresFolder");

/** For tests that need the SQLite file or move the clock; skipped on PostgreSQL. */
export const withFileStore = test.skipIf(suiteFolder() !== undefined);

/** Settings for a new database if the suite runs on PostgreSQL. */
export async function databaseSettings(): Promise<Record<string, string>> {
  const folder = suiteFolder();
  if (folder === undefined) return {};
  return {
    EARSHOT_DATABASE_URL: await connectPostgres(folder).createDatabase(),
    EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
}
