import { read } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import type { AuditAction } from "../audit-actions.ts";
import { accountNameSql, isPresent } from "./names.ts";

/** With the names of accounts and keys that still exist. */
export type AuditEntry = {
  sequence: number;
  atMs: number;
  action: AuditAction;
  actor: string;
  subject: string | null;
  key: string | null;
  detail: Readonly<Record<string, string | number | boolean | null>>;
};

export type AuditPart = {
  accountId: string | null;
  before: number | null;
  limit: number;
};

type Row = Omit<AuditEntry, "detail"> & { detail: string };

export const auditOperations = {
  /** Newest first. */
  readAudit: read(function* (
    database,
    { accountId, before, limit }: AuditPart,
  ): Steps<AuditEntry[]> {
    const condition =
      accountId === null
        ? "TRUE"
        : "audit.subject = (SELECT audit_id FROM account WHERE id = :accountId)";
    return (yield* database.all<Row>(
      `SELECT sequence, at_ms AS atMs, action, detail,
           CASE actor WHEN 'command_line' THEN 'the command line' WHEN 'service' THEN 'the server'
             ELSE coalesce((SELECT ${accountNameSql} FROM account WHERE audit_id = actor AND ${isPresent}), '${deletedAccount}') END AS actor,
           CASE WHEN subject IS NOT NULL THEN
             coalesce((SELECT ${accountNameSql} FROM account WHERE audit_id = subject AND ${isPresent}), '${deletedAccount}') END AS subject,
           CASE WHEN key IS NOT NULL THEN
             coalesce((SELECT name FROM api_key WHERE audit_id = audit.key),
               (SELECT client_name FROM oauth_grant WHERE audit_id = audit.key), 'a deleted key') END AS key
         FROM audit WHERE sequence < :before AND ${condition} ORDER BY sequence DESC LIMIT :limit`,
      {
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit,
        ...(accountId === null ? {} : { accountId }),
      },
    )).map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
  }),
};

const deletedAccount = "a deleted account";
