import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { transitions } from "../../jobs/states.ts";
import { type JobRow, jobFromRow, rowColumns } from "../../jobs/stored.ts";
import { webhookOwner } from "../../jobs/webhooks/secrets.ts";
import { createEncryptor, type Encryptor } from "../../lib/encryption.ts";
import { errorMessage } from "../../lib/errors.ts";
import { decryptSecrets } from "../../upstream/credentials/encrypt-secrets.ts";

const states: ReadonlySet<string> = new Set(
  Object.values(transitions).flatMap(({ from, to }) => (to === null ? from : [...from, to])),
);

const endedStates: ReadonlySet<string> = new Set(transitions.forget.from);

type Row = JobRow & { leaseToken: string | null; leaseUntilMs: number | null };

/** A job must have a lease exactly while it is in progress. */
export function checkJobs(database: DatabaseSync, onFinding: OnFinding): void {
  const jobs = database.prepare(
    `SELECT ${rowColumns}, lease_token AS leaseToken, lease_until_ms AS leaseUntilMs FROM job`,
  );
  for (const jobRow of jobs.iterate()) {
    const row = jobRow as Row;
    for (const message of errorsIn(row)) onFinding("job_inconsistent", "job", row.uuid, message);
    try {
      jobFromRow(row, 0);
    } catch (error) {
      const message = `job ${row.uuid} is unreadable: ${errorMessage(error)}`;
      onFinding("row_unreadable", "job", row.uuid, message);
    }
  }
}

function errorsIn({ uuid, state, leaseToken, leaseUntilMs, finishedMs, result }: Row): string[] {
  if (!states.has(state)) return [`job ${uuid} has the unknown state ${JSON.stringify(state)}`];
  const errors: string[] = [];
  const isLeased = leaseToken !== null && leaseUntilMs !== null;
  if (isLeased !== (state === "in progress")) {
    errors.push(`job ${uuid} is ${state}, and has ${isLeased ? "a" : "no"} lease`);
  }
  if (endedStates.has(state) !== (finishedMs !== null)) {
    errors.push(`job ${uuid} is ${state}, and has ${finishedMs === null ? "no" : "a"} finish time`);
  }
  if (state === "done" && result === null) errors.push(`job ${uuid} is done but has no result`);
  return errors;
}

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
    tryDecrypt(encryptor, open, () =>
      onFinding("secret_unreadable", "webhook", key, unreadableSecret(key)),
    );
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
    tryDecrypt(encryptor, open, () =>
      onFinding("secret_unreadable", "credential", id, unreadableSecret(id)),
    );
  }
}

const unreadableSecret = (id: string): string =>
  `the secret of ${id} cannot be decrypted with the secret key in use`;

function tryDecrypt(
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

/** Stable, because scripts use these names. */
type ControlFindingKind =
  | "file_missing"
  | "file_damaged"
  | "schema_differs"
  | "reference_broken"
  | "row_unreadable"
  | "job_inconsistent"
  | "secret_unreadable"
  | "checksum_differs";

export type ControlFinding = {
  kind: ControlFindingKind;
  table: string | null;
  key: string | null;
  message: string;
};

export type OnFinding = (
  kind: ControlFindingKind,
  table: string | null,
  key: string | null,
  message: string,
) => void;
