import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RandomBytes } from "./base62.ts";
import { EarshotError } from "./errors.ts";
import { ensureKeyFile, readKey } from "./key-file.ts";

export const readSecretKey = readKey;

/**
 * `secret.key`, created if missing. Errors: `secret_key_missing` if encrypted data exists without it;
 * `secret_key_unreadable`, without the file's content.
 */
export function ensureSecretKey(
  dataDir: string,
  randomBytes: RandomBytes,
  hasSecrets: boolean,
): Uint8Array {
  const path = join(dataDir, "secret.key");
  if (hasSecrets && !existsSync(path)) throw missingKeyError(path);
  return ensureKeyFile(path, randomBytes, {
    code: "secret_key_unreadable",
    hint: "restore the file, or set EARSHOT_SECRET_KEY to the same key; another key cannot decrypt stored data",
  });
}

const missingKeyError = (path: string): EarshotError =>
  new EarshotError(
    "secret_key_missing",
    `${path} is missing, and credentials or webhook secrets are encrypted with it`,
    {
      status: 503,
      hint: `restore the file from a backup, or set EARSHOT_SECRET_KEY; to continue without those secrets, write a new key there: openssl rand -base64 32 > ${path}`,
    },
  );
