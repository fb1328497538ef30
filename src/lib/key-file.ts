import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { RandomBytes } from "./base62.ts";
import { EarshotError } from "./errors.ts";

const keyLength = 32;

export type KeyFileError = { code: string; hint: string };

export function readKey(content: string): Uint8Array | null {
  const text = content.trim();
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === keyLength ? bytes : null;
}

/**
 * Creates a missing file, readable only by its owner. Concurrent processes agree on one key. Errors:
 * `error` (503), without the file's content.
 */
export function ensureKeyFile(
  path: string,
  randomBytes: RandomBytes,
  error: KeyFileError,
): Uint8Array {
  const existingKey = readIfExists(path, error);
  if (existingKey !== null) return existingKey;
  const draftPath = `${path}.${Buffer.from(randomBytes(8)).toString("hex")}`;
  try {
    writeDurably(draftPath, `${Buffer.from(randomBytes(keyLength)).toString("base64")}\n`);
    linkUnlessExists(draftPath, path);
  } finally {
    rmSync(draftPath, { force: true });
  }
  syncFolder(dirname(path));
  const createdKey = readIfExists(path, error);
  if (createdKey === null)
    throw unreadableKeyError(path, "it was removed while it was being created", error);
  return createdKey;
}

function readIfExists(path: string, error: KeyFileError): Uint8Array | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return null;
    throw unreadableKeyError(path, errorCode(thrown), error);
  }
  const key = readKey(text);
  if (key !== null) return key;
  throw unreadableKeyError(path, "it does not contain 32 bytes in base64 or hexadecimal", error);
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A hard link publishes the whole file atomically. */
function linkUnlessExists(draftPath: string, path: string): void {
  try {
    linkSync(draftPath, path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

function unreadableKeyError(
  path: string,
  reason: string,
  { code, hint }: KeyFileError,
): EarshotError {
  return new EarshotError(code, `${path} is not a usable key: ${reason}`, {
    status: 503,
    hint,
  });
}
