import type { Database, Steps } from "../../db/statements.ts";
import { writeAuditEntry } from "../audit.ts";

export type GrantRow = {
  id: string;
  accountId: string;
  clientId: string;
  redirectUri: string;
  resource: string;
  methods: string;
  codeHash: Uint8Array;
  codeChallenge: string;
  accessHash: Uint8Array | null;
  familyHash: Uint8Array | null;
  refreshHash: Uint8Array | null;
  expiresMs: number;
  revokedMs: number | null;
  isSuspended: number;
};

export function* findGrant(database: Database, id: string): Steps<GrantRow | undefined> {
  return yield* database.get<GrantRow>(
    `SELECT oauth_grant.id, account_id AS accountId, client_id AS clientId, redirect_uri AS redirectUri, resource, methods,
       code_hash AS codeHash, code_challenge AS codeChallenge, access_hash AS accessHash, family_hash AS familyHash,
       refresh_hash AS refreshHash, expires_ms AS expiresMs, revoked_ms AS revokedMs,
       CASE WHEN suspended_ms IS NULL THEN 0 ELSE 1 END AS isSuspended
     FROM oauth_grant JOIN account ON account.id = account_id WHERE oauth_grant.id = :id`,
    { id },
  );
}

export type GrantEnd =
  | "owner"
  | "app"
  /** A used code or a replaced refresh token was presented. */
  | "token_reused"
  | "too_many";

export function* endGrant(
  database: Database,
  { id, accountId }: Pick<GrantRow, "id" | "accountId">,
  { cause, nowMs }: { cause: GrantEnd; nowMs: number },
): Steps<void> {
  yield* database.run(
    "UPDATE oauth_grant SET revoked_ms = :nowMs WHERE id = :id AND revoked_ms IS NULL",
    { id, nowMs },
  );
  yield* writeAuditEntry(database, {
    atMs: nowMs,
    action: "app_disconnected",
    actor: cause === "owner" ? { accountId } : "service",
    accountId,
    keyId: id,
    detail: cause === "owner" ? {} : { reason: cause },
  });
}

/** SQL condition on `oauth_grant` at `:nowMs`. */
export const isConnectedSql =
  "oauth_grant.access_hash IS NOT NULL AND oauth_grant.revoked_ms IS NULL AND oauth_grant.expires_ms > :nowMs";
