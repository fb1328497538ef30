import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RandomBytes } from "./base62.ts";
import { EarshotError } from "./errors.ts";
import { ensureKeyFile, readKey } from "./key-file.ts";

/** The key that secrets are sealed with (lib/seal.ts), as it is written in a variable; null for what is none. */
export const readSecretKey = readKey;

/**
 * The key of a data folder that exists: that of its file `secret.key`, which is made, readable by its owner alone, when there
 * is none and the folder holds nothing that is encrypted with one. Processes that come at once agree on one. Errors:
 * `secret_key_missing`, and `secret_key_unreadable`, which never holds what the file says.
 */
export function ensureSecretKey(
  dataDir: string,
  randomBytes: RandomBytes,
  holdsSecrets: boolean,
): Uint8Array {
  const path = join(dataDir, "secret.key");
  if (holdsSecrets && !existsSync(path)) throw missing(path);
  return ensureKeyFile(path, randomBytes, {
    code: "secret_key_unreadable",
    hint: "put back the file as it was, or set EARSHOT_SECRET_KEY; with another key, what is encrypted stays unreadable",
  });
}

const missing = (path: string): EarshotError =>
  new EarshotError(
    "secret_key_missing",
    `${path} is missing, and credentials or webhook secrets are encrypted with it`,
    {
      status: 503,
      hint: `put the file back from its copy, or set EARSHOT_SECRET_KEY; to go on without those secrets, write a new key there: openssl rand -base64 32 > ${path}`,
    },
  );
