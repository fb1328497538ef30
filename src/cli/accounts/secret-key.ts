import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { acquireLock } from "../../db/folder-lock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { ensureSecretKey } from "../../lib/secret-key.ts";
import type { Config } from "../../server/config.ts";
import type { OpenControl } from "../../server/control/control.ts";

/**
 * The configured key, or `secret.key`, created if missing. Errors: those of `ensureSecretKey`;
 * `secret_key_needed` if only the running server knows the key: a new one could not decrypt the
 * stored secrets.
 */
export async function requireSecretKey(
  { data: { dir, secretKey } }: Pick<Config, "data">,
  control: OpenControl,
): Promise<Uint8Array> {
  if (secretKey !== null) return secretKey;
  if (!existsSync(join(dir, "secret.key")) && isServerRunning(dir)) throw secretKeyNeeded();
  return ensureSecretKey(dir, randomBytes, await control.run("hasSecrets", null));
}

export function isServerRunning(dir: string): boolean {
  const path = join(dir, "lock.db");
  if (!existsSync(path)) return false;
  const lock = acquireLock(path);
  lock?.release();
  return lock === null;
}

function secretKeyNeeded(): EarshotError {
  return new EarshotError(
    "secret_key_needed",
    "EARSHOT_SECRET_KEY is required, because the running server uses it",
    { hint: "set it to the server's value" },
  );
}
