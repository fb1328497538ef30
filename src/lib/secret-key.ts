import { join } from "node:path";
import type { RandomBytes } from "./base62.ts";
import { ensureKeyFile, readKey } from "./key-file.ts";

/** The key that secrets are sealed with (lib/seal.ts), as it is written in a variable; null for what is none. */
export const readSecretKey = readKey;

/**
 * The key of a data folder that exists: that of its file `secret.key`, which is made, readable by its owner alone, when there
 * is none. Processes that come at once agree on one. Errors: `secret_key_unreadable`, which never holds what the file says.
 */
export function ensureSecretKey(dataDir: string, randomBytes: RandomBytes): Uint8Array {
  return ensureKeyFile(join(dataDir, "secret.key"), randomBytes, {
    code: "secret_key_unreadable",
    hint: "put back the file as it was, or set EARSHOT_SECRET_KEY; removed, it is made anew, and what it sealed stays closed",
  });
}
