import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Platform } from "../../posts/post.ts";
import { renewalOperations } from "./renewal-operations.ts";
import {
  type ListedCredential,
  listedCredentials,
  readCredential,
  type StoredCredential,
  usableCredentials,
} from "./rows.ts";
import { credentialStateOperations } from "./state-operations.ts";

export type StoredSecretCredential = {
  id: string;
  /** Null for the deployment. */
  accountId: string | null;
  platform: Platform;
  kind: string;
  host: string;
  subject: string | null;
  subjectName: string | null;
  hint: string;
  encryptedSecret: Uint8Array;
  maxOfOwner: number;
  nowMs: number;
};

export type CredentialOperations = typeof credentialOperations;

/** Secrets are never decrypted here. */
export const credentialOperations = {
  ...renewalOperations,
  ...credentialStateOperations,

  /**
   * Ends the credential's quarantine and coolings. Errors: `too_many_credentials`,
   * `unknown_account`.
   */
  putCredential: durable(function* (database, credential: StoredSecretCredential): Steps<null> {
    const { nowMs, maxOfOwner, accountId, platform, ...values } = credential;
    if ((yield* readCredential(database, credential.id)) === null)
      yield* requireRoom(database, credential);
    yield* requireAccount(database, accountId);
    yield* database.run(
      `INSERT INTO credential(id, account_id, platform, kind, host, subject, subject_name, hint, sealed_secret, created_ms)
       VALUES(:id, :accountId, :platform, :kind, :host, :subject, :subjectName, :hint, :encryptedSecret, :nowMs)
       ON CONFLICT(id) DO UPDATE SET subject_name = excluded.subject_name, hint = excluded.hint,
         sealed_secret = excluded.sealed_secret, revision = credential.revision + 1,
         renewing_until_ms = NULL, quarantined_ms = NULL, quarantine_reason = NULL`,
      { ...values, accountId, platform, nowMs },
    );
    yield* database.run("DELETE FROM credential_cooling WHERE credential_id = :id", {
      id: credential.id,
    });
    return null;
  }),

  findSameCredential: read(function* (database, credential: SameCredential): Steps<string | null> {
    const row = yield* database.get<{ id: string }>(
      `SELECT id FROM credential WHERE account_id IS :accountId AND platform = :platform AND kind = :kind AND host = :host
         AND subject = :subject`,
      credential,
    );
    return row?.id ?? null;
  }),

  /** Omits secrets; a null owner lists all credentials. */
  listCredentials: read(function* (
    database,
    owner: { accountId: string | null } | null,
  ): Steps<ListedCredential[]> {
    return yield* listedCredentials(database, owner);
  }),

  usableCredentials: read(function* (
    database,
    filter: { platforms: readonly Platform[]; accountId: string },
  ): Steps<StoredCredential[]> {
    return yield* usableCredentials(database, filter.platforms, filter.accountId);
  }),

  readCredential: read(function* (
    database,
    { id }: { id: string },
  ): Steps<StoredCredential | null> {
    return yield* readCredential(database, id);
  }),

  /** Errors: `unknown_credential`. */
  removeCredential: durable(function* (database, { id }: { id: string }): Steps<null> {
    if ((yield* database.run("DELETE FROM credential WHERE id = :id", { id })) === 1) return null;
    throw unknownCredential(id);
  }),
};

type SameCredential = Pick<StoredSecretCredential, "accountId" | "platform" | "kind" | "host"> & {
  subject: string;
};

export function unknownCredential(id: string): EarshotError {
  return new EarshotError("unknown_credential", `credential ${JSON.stringify(id)} not found`, {
    status: 404,
    hint: "find it with earshot credentials list",
  });
}

function* requireRoom(
  database: Database,
  { accountId, platform, maxOfOwner }: StoredSecretCredential,
): Steps<void> {
  const row = yield* database.get<{ stored: number }>(
    "SELECT count(*) AS stored FROM credential WHERE account_id IS :accountId AND platform = :platform",
    { accountId, platform },
  );
  if ((row?.stored ?? 0) < maxOfOwner) return;
  throw new EarshotError(
    "too_many_credentials",
    `the owner already has ${row?.stored} credentials for ${platform}`,
    {
      status: 409,
      hint: "remove one with earshot credentials remove, or raise EARSHOT_MAX_CREDENTIALS",
    },
  );
}

function* requireAccount(database: Database, accountId: string | null): Steps<void> {
  if (accountId === null) return;
  const row = yield* database.get("SELECT id FROM account WHERE id = :accountId", { accountId });
  if (row !== undefined) return;
  throw new EarshotError("unknown_account", `account ${JSON.stringify(accountId)} not found`, {
    status: 404,
    hint: "find it with earshot accounts list",
  });
}
