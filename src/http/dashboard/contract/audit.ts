import type { AuditAction } from "../../../accounts/audit.ts";

/**
 * GET /dashboard/api/operator/audit?account=<id>&action=<action>
 * &actor=<account id, command_line or service>&from=<time>&to=<time>&before=<sequence>: newest
 * first. GET /dashboard/api/account/audit: the caller's own account.
 */
export type AuditResponse = { entries: readonly AuditEntryResponse[]; next: number | null };
export type AuditEntryResponse = {
  sequence: number;
  at: string;
  action: AuditAction;
  /** Current name, or "a deleted account", "the command line", "the server". */
  actor: string;
  subject: string | null;
  key: string | null;
  detail: Readonly<Record<string, string | number | boolean | null>>;
};
