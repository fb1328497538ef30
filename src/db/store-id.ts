import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { EarshotError } from "../lib/errors.ts";

export type StoreName = "archive" | "control";

/** A file with the store's id, so that a missing or replaced store is not mistaken for a new one. */
export const storeIdPath = (dataDir: string, store: StoreName): string =>
  join(dataDir, `${store}.id`);

/** Errors: `store_id_unreadable`. */
export function readStoreId(dataDir: string, store: StoreName): string | null {
  const path = storeIdPath(dataDir, store);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  const id = text.trim();
  if (/^[0-9a-f]{32}$/.test(id)) return id;
  throw new EarshotError("store_id_unreadable", `${path} does not contain an id`, {
    status: 503,
    hint: `if ${store === "archive" ? "archive/" : "control.db"} is the right one, delete the file; Earshot writes it again`,
  });
}

/** Writes atomically and durably. */
export function writeStoreId(dataDir: string, store: StoreName, id: string): void {
  const path = storeIdPath(dataDir, store);
  const temporaryPath = `${path}.${process.pid}`;
  try {
    const file = openSync(temporaryPath, "w", 0o600);
    try {
      writeSync(file, `${id}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporaryPath, path);
  } finally {
    rmSync(temporaryPath, { force: true });
  }
}

export function ensureStoreId(dataDir: string, store: StoreName, id: string): void {
  if (readStoreId(dataDir, store) === null) writeStoreId(dataDir, store, id);
}
