import { read } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import type { AuditAction } from "../audit.ts";
import { accountNameSql, isNotDeletedSql } from "./names.ts";

/** `actor`, `subject` and `key` are names for display. */
export type AuditEntry = {
  sequence: number;
  atMs: number;
  action: AuditAction;
  actor: string;
  subject: string | null;
  key: string | null;
  detail: Readonly<Record<string, string | number | boolean | null>>;
};

export type AuditPageRequest = {
  /** Null for all entries. */
  accountId: string | null;
  action?: AuditAction | null;
  /** An account ID, `command_line` or `service`. */
  actor?: string | null;
  fromMs?: number | null;
  /** Exclusive. */
  toMs?: number | null;
  /** A sequence number, exclusive; null for the newest entries. */
  before: number | null;
  limit: number;
};

type Row = Omit<AuditEntry, "detail"> & { detail: string };

const filters = {
  accountId: "audit.subject = (SELECT audit_id FROM account WHERE id = :accountId)",
  action: "action = :action",
  actor: "audit.actor = coalesce((SELECT audit_id FROM account WHERE id = :actor), :actor)",
  fromMs: "at_ms >= :fromMs",
  toMs: "at_ms < :toMs",
} as const;

export const auditOperations = {
  readAudit: read(function* (database, request: AuditPageRequest): Steps<AuditEntry[]> {
    const { before, limit } = request;
    const conditions = ["sequence < :before"];
    const values: Record<string, string | number> = {
      before: before ?? Number.MAX_SAFE_INTEGER,
      limit,
    };
    // Only the requested filters are included, so that the statement can use an index.
    for (const name of Object.keys(filters) as (keyof typeof filters)[]) {
      const value = request[name] ?? null;
      if (value === null) continue;
      conditions.push(filters[name]);
      values[name] = value;
    }
    return (yield* database.all<Row>(
      `SELECT sequence, at_ms AS atMs, action, detail,
           CASE actor WHEN 'command_line' THEN 'the command line' WHEN 'service' THEN 'the server'
             ELSE coalesce((SELECT ${accountNameSql} FROM account WHERE audit_id = actor AND ${isNotDeletedSql}), '${deletedAccount}') END AS actor,
           CASE WHEN subject IS NOT NULL THEN
             coalesce((SELECT ${accountNameSql} FROM account WHERE audit_id = subject AND ${isNotDeletedSql}), '${deletedAccount}') END AS subject,
           CASE WHEN key IS NOT NULL THEN
             coalesce((SELECT name FROM api_key WHERE audit_id = audit.key),
               (SELECT client_name FROM oauth_grant WHERE audit_id = audit.key), 'a deleted key') END AS key
         FROM audit WHERE ${conditions.join(" AND ")} ORDER BY sequence DESC LIMIT :limit`,
      values,
    )).map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
  }),
};

const deletedAccount = "a deleted account";
