import type { Database } from "../../db/open.ts";
import { durable, read } from "../../db/operations.ts";
import { forgetSpendingOf } from "../../upstream/requests/spending-rows.ts";
import { type Actor, noteAudit } from "../audit.ts";
import { rememberedMs, rememberIdentities } from "../closed-identities.ts";
import { requireOtherOperator } from "./last-operator.ts";
import { unknownAccount } from "./resolve-account.ts";

export type DeletionRequest = {
  accountId: string;
  actor: Actor;
  /** How long a new sign-up inherits the account's limits; default one day. */
  rememberMs?: number;
  nowMs: number;
};

export type EndingAccount = { id: string; ending: "suspended" | "deleted" };

/** Closed at once, then deleted in batches, so that no transaction blocks the writer for long. */
export const deletionOperations = {
  /**
   * Deletes what identifies the owner and refuses new jobs; `dropClosedAccount` deletes the rest. Errors: `account_not_found`,
   * `last_operator`.
   */
  closeAccount: durable((database, request: DeletionRequest): null => {
    const { accountId, actor, rememberMs = rememberedMs, nowMs } = request;
    const found = database.get(
      "SELECT 1 FROM account WHERE id = :accountId AND ending IS NOT 'deleted'",
      { accountId },
    );
    if (found === undefined) throw unknownAccount(accountId);
    requireOtherOperator(database, accountId);
    noteAudit(database, { atMs: nowMs, action: "account_deleted", actor, accountId });
    forgetSpendingOf(database, accountId);
    rememberIdentities(database, { accountId, rememberMs: rememberMs, nowMs });
    database.run("DELETE FROM setting WHERE name = 'operator_account' AND value = :accountId", {
      accountId,
    });
    for (const table of namingTables) deleteOf(database, table, accountId);
    // Disabling stops deliveries now; their many rows are deleted later.
    database.run(
      "UPDATE webhook SET disabled_ms = :nowMs, due_ms = NULL WHERE account_id = :accountId",
      { accountId, nowMs },
    );
    database.run(
      `UPDATE account SET name = NULL, role = 'member', suspended_ms = :nowMs, suspended_reason = NULL, ending = 'deleted'
       WHERE id = :accountId`,
      { accountId, nowMs },
    );
    return null;
  }),

  dropClosedAccount: durable(
    (database, { accountId }: { accountId: string }): { isMore: boolean } => {
      const closed = database.get(
        "SELECT 1 FROM account WHERE id = :accountId AND ending = 'deleted'",
        { accountId },
      );
      if (closed === undefined) return { isMore: false };
      forgetSpendingOf(database, accountId);
      const dropped = parts.map(
        ({ sql, limit }) => database.run(sql, { accountId, limit }) === limit,
      );
      if (dropped.includes(true)) return { isMore: true };
      // A request admitted earlier may have added rows.
      for (const table of [...namingTables, "webhook"] as const) {
        deleteOf(database, table, accountId);
      }
      database.run("DELETE FROM account WHERE id = :accountId", { accountId });
      database.emptyLogSoon();
      return { isMore: false };
    },
  ),

  /** `servedMs`: last heartbeat of a server, which deletes the rest; null for none. */
  accountRest: read(
    (
      database,
      { accountId }: { accountId: string },
    ): { isLeft: boolean; servedMs: number | null } => {
      const left = database.get("SELECT 1 FROM account WHERE id = :accountId", { accountId });
      const beat = database.get<{ servedMs: number }>(
        "SELECT value AS servedMs FROM setting WHERE name = 'heartbeat'",
      );
      return { isLeft: left !== undefined, servedMs: beat?.servedMs ?? null };
    },
  ),

  endingAccounts: read((database, _args: null): EndingAccount[] =>
    database.all("SELECT id, ending FROM account WHERE ending IS NOT NULL LIMIT 100"),
  ),

  noteEnded: durable((database, { accountId }: { accountId: string }): null => {
    database.run(
      "UPDATE account SET ending = NULL WHERE id = :accountId AND ending = 'suspended'",
      {
        accountId,
      },
    );
    return null;
  }),
};

/** Few rows per account. */
const namingTables = ["session", "identity", "sign_in_link", "api_key", "credential"] as const;

function deleteOf(
  database: Database,
  table: (typeof namingTables)[number] | "webhook",
  accountId: string,
): void {
  database.run(`DELETE FROM ${table} WHERE account_id = :accountId`, { accountId });
}

/** Possibly many rows, and batch sizes. A job with its result may be large. */
const parts: readonly { sql: string; limit: number }[] = [
  {
    sql: `DELETE FROM job WHERE sequence IN (SELECT sequence FROM job WHERE account_id = :accountId LIMIT :limit)`,
    limit: 50,
  },
  { sql: deleteByKey("idempotency", "account_id, key"), limit: 1_000 },
  { sql: deleteByKey("fetched_post", "account_id, platform, id"), limit: 1_000 },
  { sql: deleteByKey("usage", "account_id, bucket_ms, key_id, method"), limit: 1_000 },
  {
    sql: `DELETE FROM webhook_delivery WHERE rowid IN (SELECT delivery.rowid FROM webhook JOIN webhook_delivery AS delivery
            ON delivery.webhook_id = webhook.id WHERE account_id = :accountId LIMIT :limit)`,
    limit: 1_000,
  },
];

function deleteByKey(table: string, key: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE account_id = :accountId LIMIT :limit)`;
}
