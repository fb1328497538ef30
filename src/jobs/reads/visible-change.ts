/**
 * Each change gets the account's next number in its transaction, and a job stores the number of its
 * latest change: a client that resumes gets each job with a higher number, without a log of
 * changes. A counter shared by all accounts would reveal how much others search.
 */

import { accountDeleted } from "../../db/sqlite-errors.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { JobState } from "../job.ts";
import { type Change, sourceStatesSql, targetStateSql } from "../states.ts";
import { enqueueDeliveries } from "../webhooks/enqueue.ts";
import type { JobEvent } from "../webhooks/webhook.ts";

export type JobSnapshot = {
  uuid: string;
  accountId: string;
  state: JobState;
  attempts: number;
  node: string | null;
  notBeforeMs: number;
  deadlineMs: number;
  startedMs: number | null;
  finishedMs: number | null;
  expiresMs: number | null;
  failure: string | null;
  change: number;
  changedMs: number;
  hasDeliveries: boolean;
};

/**
 * On PostgreSQL, statements that number changes for several accounts lock the accounts in this
 * order, JavaScript's string order, so that they cannot deadlock.
 */
export const accountOrder = 'id COLLATE "C"';

/** For a transaction that changes jobs of several accounts one by one. */
export function* inAccountOrder<Job extends { uuid: string }>(
  database: Database,
  jobs: readonly Job[],
): Steps<readonly Job[]> {
  if (jobs.length < 2) return jobs;
  const rows = yield* database.all<{ uuid: string; accountId: string }>(
    `SELECT uuid, account_id AS accountId FROM job WHERE uuid IN (SELECT value FROM json_each(:uuids))`,
    { uuids: JSON.stringify(jobs.map(({ uuid }) => uuid)) },
  );
  const accountIds = new Map(rows.map(({ uuid, accountId }) => [uuid, accountId]));
  const byAccount = Map.groupBy(jobs, ({ uuid }) => accountIds.get(uuid) ?? "");
  return [...byAccount.keys()].sort().flatMap((accountId) => byAccount.get(accountId) ?? []);
}

export const snapshotColumns = `uuid, account_id AS accountId, state, attempts, node, not_before_ms AS notBeforeMs,
  deadline_ms AS deadlineMs, started_ms AS startedMs, finished_ms AS finishedMs, expires_ms AS expiresMs, failure,
  change, changed_ms AS changedMs`;

export type ChangedRow = Omit<JobSnapshot, "hasDeliveries">;

export const withoutDeliveries = (row: ChangedRow): JobSnapshot => ({
  ...row,
  hasDeliveries: false,
});

type Values = Readonly<Record<string, string | number | null>>;

export type ChangeClauses = { set: string; where: string };

/** The statement returns the new snapshot, with the account's next change number. */
export const changeSql = (transition: Change, { set, where }: ChangeClauses): string => `UPDATE job
  SET ${targetStateSql(transition)}, changed_ms = :nowMs,
      change = (SELECT last_change + 1 FROM account WHERE account.id = job.account_id FOR NO KEY UPDATE), ${set}
  WHERE ${where} AND ${sourceStatesSql(transition)}
  RETURNING ${snapshotColumns}`;

/**
 * Numbers the change and enqueues deliveries. Null if the state or the condition does not
 * match.
 */
export function visibleChange<Args extends Values & { nowMs: number }>(
  transition: Change,
  clauses: ChangeClauses,
): (database: Database, args: Args) => Steps<JobSnapshot | null> {
  const sql = changeSql(transition, clauses);
  return function* (database, args) {
    const snapshot = yield* database.get<ChangedRow>(sql, args);
    if (snapshot === undefined) return null;
    const { accountId, uuid, change, state } = snapshot;
    yield* database.run("UPDATE account SET last_change = :change WHERE id = :accountId", {
      accountId,
      change,
    });
    const event = stateEvent(state);
    const hasDeliveries =
      event !== null &&
      (yield* enqueueDeliveries(database, { accountId, uuid, event, nowMs: args.nowMs }));
    return { ...snapshot, hasDeliveries };
  };
}

function stateEvent(state: JobState): JobEvent | null {
  if (state === "done") return "job.done";
  if (state === "error") return "job.error";
  return state === "cancelled" ? "job.cancelled" : null;
}

/** Errors: `account_suspended`; `unauthorized` if the account is deleted. */
export function* numberSubmission(database: Database, accountId: string): Steps<number> {
  const account = yield* database.get<{ change: number }>(
    `UPDATE account SET last_change = last_change + 1 WHERE id = :accountId AND suspended_ms IS NULL
     RETURNING last_change AS change`,
    { accountId },
  );
  if (account === undefined) throw yield* closedAccountError(database, accountId);
  return account.change;
}

function* closedAccountError(database: Database, accountId: string): Steps<EarshotError> {
  const row = yield* database.get(
    "SELECT 1 FROM account WHERE id = :accountId AND ending IS NOT 'deleted'",
    { accountId },
  );
  if (row === undefined) return accountDeleted();
  return new EarshotError("account_suspended", "the account is suspended", { status: 403 });
}
