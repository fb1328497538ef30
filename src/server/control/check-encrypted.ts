import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { webhookOwner } from "../../jobs/webhooks/secrets.ts";
import { createEncryptor, type Encryptor } from "../../lib/encryption.ts";
import { decryptSecrets } from "../../upstream/credentials/encrypt-secrets.ts";
import type { OnFinding } from "./control-findings.ts";

type RunCheck = (table: string | null, check: () => void) => void;

export function checkEncrypted(
  database: DatabaseSync,
  secretKey: Uint8Array | null,
  runCheck: RunCheck,
  onFinding: OnFinding,
): void {
  const encryptor = secretKey === null ? null : createEncryptor(secretKey, randomBytes);
  runCheck("webhook", () => checkWebhooks(database, encryptor, onFinding));
  runCheck("credential", () => checkCredentials(database, encryptor, onFinding));
}

function checkWebhooks(
  database: DatabaseSync,
  encryptor: Encryptor | null,
  onFinding: OnFinding,
): void {
  const rows = database
    .prepare("SELECT id, account_id AS accountId, sealed_secret AS secret FROM webhook")
    .iterate();
  for (const { id, accountId, secret } of rows) {
    const key = String(id);
    const open = (cipher: Encryptor): unknown =>
      cipher.decrypt(secret as Uint8Array, webhookOwner(String(accountId), key));
    attempt(encryptor, open, () => onFinding("secret_unreadable", "webhook", key, unreadable(key)));
  }
}

function checkCredentials(
  database: DatabaseSync,
  encryptor: Encryptor | null,
  onFinding: OnFinding,
): void {
  const rows = database
    .prepare("SELECT id, account_id AS accountId, sealed_secret AS secret FROM credential")
    .iterate();
  for (const row of rows) {
    const { accountId, secret } = row as { accountId: string | null; secret: Uint8Array };
    const id = String(row.id);
    const open = (cipher: Encryptor): unknown => decryptSecrets(cipher, { id, accountId }, secret);
    attempt(encryptor, open, () =>
      onFinding("secret_unreadable", "credential", id, unreadable(id)),
    );
  }
}

const unreadable = (id: string): string =>
  `the secret of ${id} cannot be decrypted with the secret key in use`;

function attempt(
  encryptor: Encryptor | null,
  open: (encryptor: Encryptor) => unknown,
  onFailure: () => void,
): void {
  try {
    if (encryptor === null) onFailure();
    else open(encryptor);
  } catch {
    onFailure();
  }
}
