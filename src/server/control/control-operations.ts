import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { admittedSearchOperations } from "../../accounts/admitted-search-operations.ts";
import { limitOperations } from "../../accounts/limit-operations.ts";
import { accountStoreOperations } from "../../accounts/store.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForReading, openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import { runOn } from "../../db/operations.ts";
import { ensureSecrets, settingOperations } from "../../db/settings.ts";
import { runNow } from "../../db/statements.ts";
import { ensureStoreId, readStoreId, storeIdPath } from "../../db/store-id.ts";
import { sampleOperations } from "../../ingest/import/samples/operations.ts";
import { jobOperations } from "../../jobs/operations.ts";
import { webhookOperations } from "../../jobs/webhooks/operations.ts";
import { EarshotError } from "../../lib/errors.ts";
import { nodeOperations } from "../../remote/gateway/node-store.ts";
import { credentialOperations } from "../../upstream/credentials/operations.ts";
import { spendingOperations } from "../../upstream/requests/operations.ts";

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
 * Creates a missing store, with new secrets, if the folder records none. Errors: `control_missing`,
 * `control_foreign`, `newer_schema`.
 */
export function openControlForWriting(dataDir: string): SqliteDatabase {
  requireControl(dataDir, controlPath(dataDir));
  const database = openStoreForWriting(controlPath(dataDir), controlMigrations);
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
  return openStoreForReading(controlPath(dataDir), controlMigrations, timeoutMs);
}

function controlPath(dataDir: string): string {
  return join(dataDir, "control.db");
}

/** Derived from a secret that is created with the store. */
const controlId = (cursorKey: Uint8Array): string =>
  createHash("sha256").update("earshot control ").update(cursorKey).digest("hex").slice(0, 32);

/**
 * Creating a new store in a folder that records another one would lose accounts, keys and jobs.
 * Errors: `control_missing`, `control_foreign`.
 */
function requireControl(dataDir: string, path: string): void {
  const storeId = readStoreId(dataDir, "control");
  if (storeId === null) return;
  const idPath = storeIdPath(dataDir, "control");
  const id = readControlId(path);
  if (id === storeId) return;
  const message =
    id === null
      ? `${path} is missing or empty, but ${idPath} refers to a control store`
      : `${path} is not the control store of ${idPath}`;
  throw new EarshotError(id === null ? "control_missing" : "control_foreign", message, {
    status: 503,
    hint:
      id === null
        ? `restore it, or a backup made by earshot control backup; to start without its accounts, keys and jobs, remove ${idPath}`
        : `restore the folder's own control store; to continue with this one, remove ${idPath}`,
  });
}

function readControlId(path: string): string | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const table = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'setting'").get();
    if (table === undefined) return null;
    const row = connection.prepare("SELECT value FROM setting WHERE name = 'cursor_key'").get();
    return row?.value instanceof Uint8Array ? controlId(row.value) : null;
  } finally {
    connection.close();
  }
}
