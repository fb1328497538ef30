import type { Database, Steps } from "../db/statements.ts";
import { type RandomBytes, randomBase62 } from "../lib/base62.ts";

/** `command_line`: a command on the server's machine; `service`: the server itself. */
export type Actor = { accountId: string } | "command_line" | "service";

export type NewAuditEntry = {
  atMs: number;
  action: AuditAction;
  actor: Actor;
  /** The account concerned; null if none. */
  accountId: string | null;
  /** The key or connected app that acted. */
  keyId?: string | null;
  /** Never a name, address or secret: the log outlives the account. */
  detail?: Readonly<Record<string, string | number | boolean | null>>;
};

/** Call it in the action's transaction, before deleting the rows that have the log's pseudonyms. */
export function* writeAuditEntry(database: Database, entry: NewAuditEntry): Steps<void> {
  const { atMs, action, actor, accountId, keyId = null, detail = {} } = entry;
  yield* database.run(
    `INSERT INTO audit(at_ms, action, actor, subject, key, detail)
     VALUES(:atMs, :action, coalesce((SELECT audit_id FROM account WHERE id = :actorId), :actorWord),
       (SELECT audit_id FROM account WHERE id = :accountId), coalesce((SELECT audit_id FROM api_key WHERE id = :keyId),
         (SELECT audit_id FROM oauth_grant WHERE id = :keyId)), :detail)`,
    {
      atMs,
      action,
      actorId: typeof actor === "string" ? null : actor.accountId,
      actorWord: typeof actor === "string" ? actor : "unknown",
      accountId,
      keyId,
      detail: JSON.stringify(detail),
    },
  );
}

export function newAuditId(randomBytes: RandomBytes): string {
  return randomBase62(16, randomBytes);
}

/** Described in docs/dashboard.md. */
export const auditActions = [
  "account_created",
  "account_deleted",
  "account_exported",
  "account_limits_changed",
  "account_role_changed",
  "account_restored",
  "account_suspended",
  "app_connected",
  "app_disconnected",
  "credential_added",
  "credential_removed",
  "key_changed",
  "key_created",
  "key_revoked",
  "key_rotated",
  "node_approved",
  "node_drained",
  "node_removed",
  "session_ended",
  "session_stolen",
  "sessions_ended",
  "sign_in_link_made",
  "sign_in_refused",
  "signed_in",
  "signed_out",
] as const;

export type AuditAction = (typeof auditActions)[number];
