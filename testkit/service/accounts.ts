import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NewKey } from "../../src/accounts/keys/command-line-operations.ts";
import type { CreatedKey } from "../../src/accounts/keys/key.ts";
import { keyOperations } from "../../src/accounts/keys/operations.ts";
import { limitOperations } from "../../src/accounts/limit-operations.ts";
import { createLocalStore } from "../../src/db/local-store.ts";
import { controlMigrations } from "../../src/db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../src/db/open.ts";
import type { Store } from "../../src/db/operations.ts";

const operations = { ...keyOperations(randomBytes), ...limitOperations };

export type TestAccounts = {
  database: SqliteDatabase;
  store: Store<typeof operations>;
  makeKey(request?: Partial<NewKey>): Promise<CreatedKey>;
  /** Writes only the columns from which limits are computed. */
  addJob(key: CreatedKey, uuid: string, submittedMs: number): void;
  reopen(): TestAccounts;
  remove(): void;
};

export function createTestAccounts(
  folder: string = mkdtempSync(join(tmpdir(), "earshot-")),
): TestAccounts {
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  const store = createLocalStore(database, operations);
  return {
    database,
    store,
    makeKey: (request = {}) =>
      store.write("createKey", {
        name: "laptop",
        accountName: null,
        requestsPerSecond: null,
        submissionsPerMinute: null,
        nowMs: 5,
        ...request,
      }),
    addJob: ({ id, accountId }, uuid, submittedMs) => {
      database.run(
        `INSERT INTO job(uuid, account_id, key_id, request, canonical_query, warnings, state, submitted_ms, deadline_ms)
         VALUES(:uuid, :accountId, :id, '{}', 'comet', '[]', 'received', :submittedMs, :submittedMs)`,
        { uuid, accountId, id, submittedMs },
      );
    },
    reopen: () => {
      database.close();
      return createTestAccounts(folder);
    },
    remove: () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
