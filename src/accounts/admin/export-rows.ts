import type { Database, Steps } from "../../db/statements.ts";
import { latestMs } from "../../lib/clock.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { auditOperations } from "./audit-operations.ts";
import { accountNameSql } from "./names.ts";

/** The last exported row; null at the start of a kind. */
export type ExportPosition = readonly (string | number)[] | null;

export const exportedKinds = [
  "account",
  "identity",
  "key",
  "app",
  "session",
  "webhook",
  "delivery",
  "credential",
  "spending",
  "usage",
  "request",
  "audit",
  "job",
] as const;
export type ExportedKind = (typeof exportedKinds)[number];

type Line = Readonly<Record<string, unknown>>;

type ExportedRow = { line: Line; position: ExportPosition };

type NextRow = (
  database: Database,
  accountId: string,
  after: ExportPosition,
) => Steps<ExportedRow | null>;

function byColumn<Row extends { row_key: string | number }>(
  sql: string,
  lowest: string | number,
  formatLine: (row: Row) => Line,
): NextRow {
  return function* (database, accountId, after) {
    const row = yield* database.get<Row>(sql, { accountId, after: after?.[0] ?? lowest });
    return row === undefined ? null : { line: formatLine(row), position: [row.row_key] };
  };
}

const iso = (ms: unknown): string | null => (typeof ms === "number" ? isoTime(ms) : null);

const parseJson = (text: unknown): unknown => (typeof text === "string" ? JSON.parse(text) : null);

type Columns = Readonly<Record<string, string | number | null>>;

type Row = Columns & { row_key: string | number };

/** Columns `…_ms` become ISO times `…_at`. */
function plainLine({ row_key: _rowKey, ...columns }: Columns): Line {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) =>
      name.endsWith("_ms") ? [`${name.slice(0, -3)}_at`, iso(value)] : [name, value],
    ),
  );
}

/** The next row, without secrets and hashes; null at the end. */
export const nextRow: Readonly<Record<ExportedKind, NextRow>> = {
  account: byColumn<Row>(
    `SELECT id AS row_key, id, ${accountNameSql} AS name, role, created_ms, suspended_ms, suspended_reason, requests_per_second,
       submissions_per_minute, first_key_ms, earlier_key_times FROM account WHERE id = :accountId AND id > :after`,
    "",
    plainLine,
  ),
  identity: byColumn<Row>(
    `SELECT provider || '/' || subject AS row_key, provider, subject, login, created_ms, seen_ms FROM identity
     WHERE account_id = :accountId AND provider || '/' || subject > :after ORDER BY 1 LIMIT 1`,
    "",
    plainLine,
  ),
  key: byColumn<Row>(
    `SELECT id AS row_key, id, name, methods, requests_per_second, submissions_per_minute, owner_requests_per_second,
       owner_submissions_per_minute, created_ms, expires_ms, revoked,
       revoked_ms, used_ms, used_from, successor_id FROM api_key WHERE account_id = :accountId AND id > :after ORDER BY id LIMIT 1`,
    "",
    (row) => ({ ...plainLine(row), methods: parseJson(row.methods), revoked: row.revoked === 1 }),
  ),
  app: byColumn<Row>(
    `SELECT id AS row_key, id, client_id, client_name, redirect_uri, resource, methods, created_ms, expires_ms, used_ms, used_from,
       revoked_ms FROM oauth_grant WHERE account_id = :accountId AND id > :after ORDER BY id LIMIT 1`,
    "",
    (row) => ({ ...plainLine(row), methods: parseJson(row.methods) }),
  ),
  session: byColumn<Row>(
    `SELECT id AS row_key, id, way, agent, address_group, created_ms, used_ms, expires_ms FROM session
     WHERE account_id = :accountId AND id > :after ORDER BY id LIMIT 1`,
    "",
    plainLine,
  ),
  webhook: byColumn<Row>(
    `SELECT id AS row_key, id, url, events, created_ms, failing_since_ms, disabled_ms, disabled_reason, dropped FROM webhook
     WHERE account_id = :accountId AND id > :after ORDER BY id LIMIT 1`,
    "",
    (row) => ({ ...plainLine(row), events: parseJson(row.events) }),
  ),
  delivery: function* (database, accountId, after) {
    let [webhookId, number] = [after?.[0], after?.[1] ?? -1];
    webhookId ??= yield* webhookAfter(database, accountId, "");
    for (
      ;
      webhookId !== undefined;
      webhookId = yield* webhookAfter(database, accountId, webhookId)
    ) {
      const row = yield* database.get<Columns & { number: number }>(
        `SELECT id, webhook_id, number, event, payload, created_ms, attempts, next_ms, last_ms, delivered_ms, last_status,
           last_error FROM webhook_delivery WHERE webhook_id = :webhookId AND number > :number ORDER BY number LIMIT 1`,
        { webhookId, number },
      );
      if (row !== undefined) {
        const line = { ...plainLine(row), payload: parseJson(row.payload) };
        return { line, position: [webhookId, row.number] };
      }
      number = -1;
    }
    return null;
  },
  credential: byColumn<Row>(
    `SELECT id AS row_key, id, platform, kind AS credential_kind, host, subject, subject_name, hint, created_ms, used_ms,
       quarantined_ms, quarantine_reason FROM credential WHERE account_id = :accountId AND id > :after ORDER BY id LIMIT 1`,
    "",
    plainLine,
  ),
  spending: byColumn<Row>(
    `SELECT month || '/' || platform || '/' || coalesce(credential_id, '') AS row_key, month, platform, credential_id, post_reads,
       user_reads, requests, micro_usd
     FROM (SELECT month, platform, NULL AS credential_id, post_reads, user_reads, requests, micro_usd FROM upstream_account_use
             WHERE account_id = :accountId
           UNION ALL SELECT month, platform, credential_id, post_reads, user_reads, requests, micro_usd FROM upstream_use
             WHERE credential_id IN (SELECT id FROM credential WHERE account_id = :accountId)) AS spent
     WHERE month || '/' || platform || '/' || coalesce(credential_id, '') > :after ORDER BY 1 LIMIT 1`,
    "",
    plainLine,
  ),
  usage: function* (database, accountId, after) {
    const row = yield* database.get<
      Columns & { bucket_ms: number; key_id: string; method: string }
    >(
      `SELECT bucket_ms, key_id, method, calls, refused, failed, posts, latencies FROM usage
       WHERE account_id = :accountId AND (bucket_ms, key_id, method) > (:bucketMs, :keyId, :method)
       ORDER BY bucket_ms, key_id, method LIMIT 1`,
      {
        accountId,
        bucketMs: after?.[0] ?? -1,
        keyId: after?.[1] ?? "",
        method: after?.[2] ?? "",
      },
    );
    if (row === undefined) return null;
    return { line: plainLine(row), position: [row.bucket_ms, row.key_id, row.method] };
  },
  request: function* (database, accountId, after) {
    const row = yield* database.get<Columns & { key_id: string; at_ms: number; sequence: number }>(
      `SELECT key_id, at_ms, request_id, method, route, status, code, duration_ms AS duration, sequence FROM key_request
       WHERE account_id = :accountId AND (key_id, at_ms, sequence) > (:keyId, :atMs, :sequence)
       ORDER BY key_id, at_ms, sequence LIMIT 1`,
      {
        accountId,
        keyId: after?.[0] ?? "",
        atMs: after?.[1] ?? -1,
        sequence: after?.[2] ?? -1,
      },
    );
    if (row === undefined) return null;
    const { duration, at_ms: atMs, sequence, ...columns } = row;
    return {
      line: { at: iso(atMs), ...columns, duration_ms: duration },
      position: [row.key_id, atMs, sequence],
    };
  },
  audit: function* (database, accountId, after) {
    const before = typeof after?.[0] === "number" ? after[0] : null;
    const [entry] = yield* auditOperations.readAudit.run(database, { accountId, before, limit: 1 });
    if (entry === undefined) return null;
    const { sequence, atMs, ...shown } = entry;
    return { line: { sequence, at: iso(atMs), ...shown }, position: [sequence] };
  },
  job: function* (database, accountId, after) {
    const row = yield* database.get<Columns & { submitted_ms: number; uuid: string }>(
      `SELECT uuid, key_id, state, attempts, request, canonical_query, warnings, submitted_ms, deadline_ms, started_ms,
         finished_ms, expires_ms, result, failure FROM job
       WHERE account_id = :accountId AND (submitted_ms, uuid) > (:submittedMs, :uuid) ORDER BY submitted_ms, uuid LIMIT 1`,
      { accountId, submittedMs: after?.[0] ?? -latestMs, uuid: after?.[1] ?? "" },
    );
    if (row === undefined) return null;
    const line = {
      ...plainLine(row),
      request: parseJson(row.request),
      warnings: parseJson(row.warnings),
      result: parseJson(row.result),
      failure: parseJson(row.failure),
    };
    return { line, position: [row.submitted_ms, row.uuid] };
  },
};

function* webhookAfter(
  database: Database,
  accountId: string,
  after: string | number,
): Steps<string | undefined> {
  const row = yield* database.get<{ id: string }>(
    "SELECT id FROM webhook WHERE account_id = :accountId AND id > :after ORDER BY id LIMIT 1",
    { accountId, after },
  );
  return row?.id;
}
