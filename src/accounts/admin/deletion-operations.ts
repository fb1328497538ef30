import { durable, read } from "../../db/operations.ts";
import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";
import { forgetSpending } from "../../upstream/requests/spending-rows.ts";
import { type Actor, writeAuditEntry } from "../audit.ts";
import { defaultRetentionMs, rememberIdentities } from "../closed-identities.ts";
import { requireOtherOperator } from "./last-operator.ts";
import { unknownAccount } from "./resolve-account.ts";

export type DeletionRequest = {
  accountId: string;
  actor: Actor;
  /** How long new sign-ups inherit the account's limits. Default: one day. */
  retentionMs?: number;
  nowMs: number;
};

export type EndingAccount = { id: string; ending: "suspended" | "deleted" };

/** Rows are deleted in batches, so that no transaction blocks the writer for long. */
export const deletionOperations = {
  /**
   * Deletes what identifies the owner; `dropClosedAccount` deletes the rest. Errors:
   * `account_not_found`, `last_operator`.
   */
  closeAccount: durable(function* (database, request: DeletionRequest): Steps<null> {
    const { accountId, actor, retentionMs = defaultRetentionMs, nowMs } = request;
    const found = yield* database.get(
      "SELECT 1 FROM account WHERE id = :accountId AND ending IS NOT 'deleted'",
      { accountId },
    );
    if (found === undefined) throw unknownAccount(accountId);
    yield* requireOtherOperator(database, accountId);
    yield* writeAuditEntry(database, { atMs: nowMs, action: "account_deleted", actor, accountId });
    yield* forgetSpending(database, accountId);
    yield* rememberIdentities(database, { accountId, retentionMs, nowMs });
    for (const table of identifyingTables) yield* deleteAccountRows(database, table, accountId);
    // Stops deliveries now; the rows are deleted later.
    yield* database.run(
      "UPDATE webhook SET disabled_ms = :nowMs, due_ms = NULL WHERE account_id = :accountId",
      { accountId, nowMs },
    );
    yield* database.run(
      `UPDATE account SET name = NULL, role = 'member', suspended_ms = :nowMs, suspended_reason = NULL, ending = 'deleted',
         is_links_account = 0
       WHERE id = :accountId`,
      { accountId, nowMs },
    );
    return null;
  }),

  dropClosedAccount: durable(function* (
    database,
    { accountId }: { accountId: string },
  ): Steps<{ isMore: boolean }> {
    const closedAccount = yield* database.get(
      "SELECT 1 FROM account WHERE id = :accountId AND ending = 'deleted'",
      { accountId },
    );
    if (closedAccount === undefined) return { isMore: false };
    yield* forgetSpending(database, accountId);
    const hasMoreRows = yield* mapNonNull(deletionBatches, function* ({ sql, limit }) {
      return (yield* database.run(sql, { accountId, limit })) === limit;
    });
    if (hasMoreRows.includes(true)) return { isMore: true };
    // Requests in flight may have added rows.
    for (const table of [...identifyingTables, "webhook"] as const) {
      yield* deleteAccountRows(database, table, accountId);
    }
    yield* database.run("DELETE FROM account WHERE id = :accountId", { accountId });
    database.emptyLogSoon();
    return { isMore: false };
  }),

  /**
   * `heartbeatMs`: the latest heartbeat of any server, which would delete the rest; null if there
   * is none.
   */
  deletionProgress: read(function* (
    database,
    { accountId }: { accountId: string },
  ): Steps<{ isRemaining: boolean; heartbeatMs: number | null }> {
    const remaining = yield* database.get("SELECT 1 FROM account WHERE id = :accountId", {
      accountId,
    });
    const latest = yield* database.get<{ heartbeatMs: number }>(
      "SELECT max(seen_ms) AS heartbeatMs FROM gateway",
    );
    return { isRemaining: remaining !== undefined, heartbeatMs: latest?.heartbeatMs ?? null };
  }),

  endingAccounts: read(function* (database, _args: null): Steps<EndingAccount[]> {
    return yield* database.all("SELECT id, ending FROM account WHERE ending IS NOT NULL LIMIT 100");
  }),

  finishSuspension: durable(function* (
    database,
    { accountId }: { accountId: string },
  ): Steps<null> {
    yield* database.run(
      "UPDATE account SET ending = NULL WHERE id = :accountId AND ending = 'suspended'",
      {
        accountId,
      },
    );
    return null;
  }),
};

const identifyingTables = [
  "session",
  "identity",
  "sign_in_link",
  "api_key",
  "oauth_grant",
  "credential",
] as const;

function* deleteAccountRows(
  database: Database,
  table: (typeof identifyingTables)[number] | "webhook",
  accountId: string,
): Steps<void> {
  yield* database.run(`DELETE FROM ${table} WHERE account_id = :accountId`, { accountId });
}

/** Jobs are deleted in smaller batches, because their results may be large. */
const deletionBatches: readonly { sql: string; limit: number }[] = [
  {
    sql: `DELETE FROM job WHERE sequence IN (SELECT sequence FROM job WHERE account_id = :accountId LIMIT :limit)`,
    limit: 50,
  },
  { sql: deleteByKey("idempotency", "account_id, key"), limit: 1_000 },
  { sql: deleteByKey("fetched_post", "account_id, platform, id"), limit: 1_000 },
  { sql: deleteByKey("usage", "account_id, bucket_ms, key_id, method"), limit: 1_000 },
  { sql: deleteByKey("key_request", "account_id, key_id, at_ms, request_id"), limit: 1_000 },
  {
    sql: `DELETE FROM webhook_delivery WHERE id IN (SELECT delivery.id FROM webhook JOIN webhook_delivery AS delivery
            ON delivery.webhook_id = webhook.id WHERE account_id = :accountId LIMIT :limit)`,
    limit: 1_000,
  },
];

function deleteByKey(table: string, key: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE account_id = :accountId LIMIT :limit)`;
}
