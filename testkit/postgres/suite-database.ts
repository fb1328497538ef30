import { env } from "node:process";
import { inject, test } from "vitest";
import { connectPostgres } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Services use files if this is missing. */
    postgresFolder?: string;
  }
}

/** Undefined in benchmarks, which run outside Vitest. */
const suiteFolder = (): string | undefined =>
  env.VITEST === undefined ? undefined : inject("postgresFolder");

/** They need a file, or a clock that they move. */
export const withFileStore = test.skipIf(suiteFolder() !== undefined);

/** A fresh database in a suite on PostgreSQL, otherwise nothing. */
export async function databaseSettings(): Promise<Record<string, string>> {
  const folder = suiteFolder();
  if (folder === undefined) return {};
  return {
    EARSHOT_DATABASE_URL: await connectPostgres(folder).createDatabase(),
    EARSHOT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
}
