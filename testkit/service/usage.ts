import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type UsageOperations, usageOperations } from "../../src/accounts/usage/operations.ts";
import { createLocalStore } from "../../src/db/local-store.ts";
import { controlMigrations } from "../../src/db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../src/db/open.ts";
import type { Store } from "../../src/db/operations.ts";

export type TestUsage = {
  database: SqliteDatabase;
  store: Store<UsageOperations>;
  addKey(id: string, accountId: string): void;
  rows(): { accountId: string; bucketMs: number; keyId: string; method: string; calls: number }[];
  remove(): void;
};

export function openTestUsage(): TestUsage {
  const folder = mkdtempSync(join(tmpdir(), "earshot-"));
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  for (const account of ["one", "two"]) {
    database.run("INSERT INTO account(id, created_ms) VALUES(:account, 0)", { account });
  }
  return {
    database,
    store: createLocalStore(database, usageOperations),
    addKey: (id, accountId) => {
      database.run(
        `INSERT INTO api_key(id, account_id, name, secret_hash, created_ms)
         VALUES(:id, :accountId, :id, zeroblob(32), 0)`,
        { id, accountId },
      );
    },
    rows: () =>
      database.all(
        `SELECT account_id AS accountId, bucket_ms AS bucketMs, key_id AS keyId, method, calls
         FROM usage ORDER BY 1, 2, 3, 4`,
      ),
    remove: () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
