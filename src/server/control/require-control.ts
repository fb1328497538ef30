import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { readStoreId, storeIdPath } from "../../db/store-id.ts";
import { EarshotError } from "../../lib/errors.ts";

/** Derived from a secret that is created with the store. */
export const controlId = (cursorKey: Uint8Array): string =>
  createHash("sha256").update("earshot control ").update(cursorKey).digest("hex").slice(0, 32);

/**
 * A new store in a folder that records another would lose accounts, keys and jobs. Errors: `control_missing`,
 * `control_foreign`.
 */
export function requireControl(dataDir: string, path: string): void {
  const storeId = readStoreId(dataDir, "control");
  if (storeId === null) return;
  const note = storeIdPath(dataDir, "control");
  const id = idIn(path);
  if (id === storeId) return;
  const message =
    id === null
      ? `${path} is missing or empty, but ${note} refers to a control store`
      : `${path} is not the control store of ${note}`;
  throw new EarshotError(id === null ? "control_missing" : "control_foreign", message, {
    status: 503,
    hint:
      id === null
        ? `restore it, or a backup made by earshot control backup; to start without its accounts, keys and jobs, remove ${note}`
        : `restore the folder's own control store; to continue with this one, remove ${note}`,
  });
}

function idIn(path: string): string | null {
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
