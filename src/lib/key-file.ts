import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { RandomBytes } from "./base62.ts";
import { EarshotError } from "./errors.ts";

/** Bytes of the keys that are kept in files and variables. */
const keyLength = 32;

/** What a file that cannot be used is told as. */
export type KeyFileError = { code: string; hint: string };

/** The key of a text: 32 bytes in base64 (either alphabet, padded or not) or in hexadecimal digits; null for anything else. */
export function readKey(written: string): Uint8Array | null {
  const text = written.trim();
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === keyLength ? bytes : null;
}

/**
 * The key of a file in a folder that exists: the file is made, readable by its owner alone, when there is none. Processes that
 * come at once agree on one. Errors: as `fault` names them, status 503; they never hold what the file says.
 */
export function ensureKeyFile(
  path: string,
  randomBytes: RandomBytes,
  fault: KeyFileError,
): Uint8Array {
  const held = readIfThere(path, fault);
  if (held !== null) return held;
  const draft = `${path}.${Buffer.from(randomBytes(8)).toString("hex")}`;
  try {
    writeDurably(draft, `${Buffer.from(randomBytes(keyLength)).toString("base64")}\n`);
    linkUnlessThere(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
  const made = readIfThere(path, fault);
  if (made === null) throw unreadable(path, "it was removed while it was made", fault);
  return made;
}

function readIfThere(path: string, fault: KeyFileError): Uint8Array | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return null;
    throw unreadable(path, codeOf(thrown), fault);
  }
  const key = readKey(text);
  if (key !== null) return key;
  throw unreadable(path, "it does not hold 32 bytes in base64 or hexadecimal", fault);
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

/** A second name for a whole file: it is there with all of its content, or not at all. */
function linkUnlessThere(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (fault) {
    if (codeOf(fault) !== "EEXIST") throw fault;
  }
}

/** The name of the file is on disk when this returns, where the system can say so of a folder. */
function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function codeOf(fault: unknown): string {
  return fault instanceof Error && "code" in fault ? String(fault.code) : String(fault);
}

function unreadable(path: string, reason: string, { code, hint }: KeyFileError): EarshotError {
  return new EarshotError(code, `${path} cannot be used as a key: ${reason}`, {
    status: 503,
    hint,
  });
}
