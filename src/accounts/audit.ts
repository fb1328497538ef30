import type { Database } from "../db/open.ts";
import { type RandomBytes, randomBase62 } from "../lib/base62.ts";
import type { AuditAction } from "./audit-actions.ts";

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
