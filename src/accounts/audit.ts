import type { Database } from "../db/open.ts";
import { type RandomBytes, randomBase62 } from "../lib/base62.ts";

/** What the audit log tells of. Each has its row in docs/dashboard.md. */
export const auditActions = [
  "account_created",
  "account_deleted",
  "account_limits_changed",
  "account_role_changed",
  "account_restored",
  "account_suspended",
  "credential_added",
  "credential_removed",
  "key_changed",
  "key_created",
  "key_revoked",
  "key_rotated",
  "session_ended",
  "session_stolen",
  "sessions_ended",
  "sign_in_link_made",
  "sign_in_refused",
  "signed_in",
  "signed_out",
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Who acted: an account, by its id, or the command line beside the server, or the server itself. */
export type Actor = { accountId: string } | "command_line" | "service";

export type AuditNote = {
  atMs: number;
  action: AuditAction;
  actor: Actor;
  /** The account that it happened to; null where there is none, as with a sign-in that was refused. */
  accountId: string | null;
  keyId?: string | null;
  /** What changed: numbers, words of ours. Never a name, an address, a secret: this log outlives the account. */
  detail?: Readonly<Record<string, string | number | boolean | null>>;
};

/**
 * Appends to the audit log, in the transaction of what it tells. Accounts and keys stand in it under names that only their own
 * rows give away: it is called before those rows are deleted.
 */
export function noteAudit(database: Database, note: AuditNote): void {
  const { atMs, action, actor, accountId, keyId = null, detail = {} } = note;
  database.run(
    `INSERT INTO audit(at_ms, action, actor, subject, key, detail)
     VALUES(:atMs, :action, coalesce((SELECT audit_id FROM account WHERE id = :actorId), :actorWord),
       (SELECT audit_id FROM account WHERE id = :accountId), (SELECT audit_id FROM api_key WHERE id = :keyId), :detail)`,
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

/** The name of an account or a key in the audit log. */
export function newAuditId(randomBytes: RandomBytes): string {
  return randomBase62(16, randomBytes);
}
