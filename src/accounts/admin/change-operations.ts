import { durable } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { type Actor, type NewAuditEntry, writeAuditEntry } from "../audit.ts";
import { requireOtherOperator } from "./last-operator.ts";
import { type AccountListing, accountListing, type Role } from "./listing-operations.ts";
import { unknownAccount } from "./resolve-account.ts";

export type AccountChangeRequest = {
  accountId: string;
  actor: Actor;
  nowMs: number;
  role?: Role;
  requestsPerSecond?: number | null;
  submissionsPerMinute?: number | null;
  /** Null ends the suspension. */
  suspension?: { reason: string } | null;
};

export const changeOperations = {
  /**
   * Ends the sessions of a suspended account immediately, its jobs soon after. Errors:
   * `account_not_found`, `last_operator`.
   */
  changeAccount: durable(function* (
    database,
    request: AccountChangeRequest,
  ): Steps<AccountListing> {
    const { accountId, nowMs } = request;
    const before = yield* accountListing(database, accountId, nowMs);
    if (before === null) throw unknownAccount(accountId);
    yield* changeRole(database, request, before);
    yield* changeLimits(database, request, before);
    if (request.suspension === null) yield* restore(database, request, before);
    else if (request.suspension !== undefined) yield* suspend(database, request, before);
    const after = yield* accountListing(database, accountId, nowMs);
    if (after === null) throw unknownAccount(accountId);
    return after;
  }),
};

function* changeRole(
  database: Database,
  request: AccountChangeRequest,
  { role: previousRole }: AccountListing,
): Steps<void> {
  const { accountId, role } = request;
  if (role === undefined || role === previousRole) return;
  if (role === "member") yield* requireOtherOperator(database, accountId);
  yield* database.run("UPDATE account SET role = :role WHERE id = :accountId", { accountId, role });
  yield* audit(database, request, "account_role_changed", { role });
}

function* changeLimits(
  database: Database,
  request: AccountChangeRequest,
  before: AccountListing,
): Steps<void> {
  const {
    accountId,
    requestsPerSecond = before.requestsPerSecond,
    submissionsPerMinute = before.submissionsPerMinute,
  } = request;
  const isUnchanged =
    requestsPerSecond === before.requestsPerSecond &&
    submissionsPerMinute === before.submissionsPerMinute;
  if (isUnchanged) return;
  yield* database.run(
    `UPDATE account SET requests_per_second = :requestsPerSecond, submissions_per_minute = :submissionsPerMinute
     WHERE id = :accountId`,
    { accountId, requestsPerSecond, submissionsPerMinute },
  );
  yield* audit(database, request, "account_limits_changed", {
    requests_per_second: requestsPerSecond,
    submissions_per_minute: submissionsPerMinute,
  });
}

function* suspend(
  database: Database,
  request: AccountChangeRequest & { suspension?: { reason: string } | null },
  before: AccountListing,
): Steps<void> {
  const { accountId, nowMs } = request;
  const reason = request.suspension?.reason ?? "";
  yield* requireOtherOperator(database, accountId);
  yield* database.run(
    `UPDATE account SET suspended_ms = coalesce(suspended_ms, :nowMs), suspended_reason = :reason, ending = 'suspended'
     WHERE id = :accountId`,
    { accountId, nowMs, reason },
  );
  yield* database.run("DELETE FROM session WHERE account_id = :accountId", { accountId });
  // The reason may name a person, so the audit log omits it.
  if (before.suspendedMs === null) yield* audit(database, request, "account_suspended");
  else if (before.suspendedReason !== reason) {
    yield* audit(database, request, "account_suspended", { reason_changed: true });
  }
}

function* restore(
  database: Database,
  request: AccountChangeRequest,
  before: AccountListing,
): Steps<void> {
  if (before.suspendedMs === null) return;
  const { accountId } = request;
  yield* database.run(
    "UPDATE account SET suspended_ms = NULL, suspended_reason = NULL, ending = NULL WHERE id = :accountId",
    { accountId },
  );
  yield* audit(database, request, "account_restored");
}

function* audit(
  database: Database,
  { accountId, actor, nowMs }: AccountChangeRequest,
  action: NewAuditEntry["action"],
  detail: NewAuditEntry["detail"] = {},
): Steps<void> {
  yield* writeAuditEntry(database, { atMs: nowMs, action, actor, accountId, detail });
}
