import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { admittedSearchOperations } from "../../accounts/admitted-search-operations.ts";
import { limitOperations } from "../../accounts/limit-operations.ts";
import { accountStoreOperations } from "../../accounts/store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForReading, openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import { runOn } from "../../db/operations.ts";
import { ensureSecrets, settingOperations } from "../../db/settings.ts";
import { runNow } from "../../db/statements.ts";
import { ensureStoreId } from "../../db/store-id.ts";
import { sampleOperations } from "../../ingest/import/samples/operations.ts";
import { jobOperations } from "../../jobs/operations.ts";
import { webhookOperations } from "../../jobs/webhooks/operations.ts";
import { nodeOperations } from "../../remote/gateway/node-store.ts";
import { credentialOperations } from "../../upstream/credentials/operations.ts";
import { spendingOperations } from "../../upstream/requests/operations.ts";
import { controlId, requireControl } from "./require-control.ts";

export const controlOperations = {
  ...settingOperations,
  ...accountStoreOperations(randomBytes),
  ...limitOperations,
  ...admittedSearchOperations,
  ...jobOperations,
  ...webhookOperations,
  ...credentialOperations,
  ...spendingOperations,
  ...nodeOperations,
  ...sampleOperations,
};

export type ControlOperations = typeof controlOperations;

/**
 * Creates a missing store, with new secrets, if the folder records none. Errors: `control_missing`, `control_foreign`,
 * `newer_schema`.
 */
export function openControlForWriting(dataDir: string): SqliteDatabase {
  requireControl(dataDir, pathIn(dataDir));
  const database = openStoreForWriting(pathIn(dataDir), controlMigrations);
  try {
    runNow(ensureSecrets(database.forOperations, randomBytes));
    const cursorKey = runOn(settingOperations.readSecret, database, { name: "cursor_key" });
    ensureStoreId(dataDir, "control", controlId(cursorKey));
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** `timeoutMs`: how long to wait for a lock. */
export function openControlForReading(dataDir: string, timeoutMs?: number): SqliteDatabase {
  return openStoreForReading(pathIn(dataDir), controlMigrations, timeoutMs);
}

function pathIn(dataDir: string): string {
  return join(dataDir, "control.db");
}
