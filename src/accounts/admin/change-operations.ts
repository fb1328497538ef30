import type { Database } from "../../db/open.ts";
import { durable } from "../../db/operations.ts";
import { type Actor, type AuditNote, noteAudit } from "../audit.ts";
import { requireOtherOperator } from "./last-operator.ts";
import { type AccountListing, accountListing, type Role } from "./listing-operations.ts";
import { unknownAccount } from "./resolve-account.ts";

/** Omitted fields stay unchanged. */
export type AccountChangeRequest = {
  accountId: string;
  actor: Actor;
  nowMs: number;
  role?: Role;
  requestsPerSecond?: number | null;
  submissionsPerMinute?: number | null;
  /** Null restores the account. */
  suspension?: { reason: string } | null;
};

export const changeOperations = {
  /** Atomic and audited. Suspension ends sessions at once, jobs soon after. Errors: `account_not_found`, `last_operator`. */
  changeAccount: durable((database, request: AccountChangeRequest): AccountListing => {
    const { accountId, nowMs } = request;
    const before = accountListing(database, accountId, nowMs);
    if (before === null) throw unknownAccount(accountId);
    changeRole(database, request, before);
    changeLimits(database, request, before);
    if (request.suspension === null) restore(database, request, before);
    else if (request.suspension !== undefined) suspend(database, request, before);
    const after = accountListing(database, accountId, nowMs);
    if (after === null) throw unknownAccount(accountId);
    return after;
  }),
};

function changeRole(
  database: Database,
  request: AccountChangeRequest,
  { role: before }: AccountListing,
): void {
  const { accountId, role } = request;
  if (role === undefined || role === before) return;
  if (role === "member") requireOtherOperator(database, accountId);
  database.run("UPDATE account SET role = :role WHERE id = :accountId", { accountId, role });
  note(database, request, "account_role_changed", { role });
}

function changeLimits(
  database: Database,
  request: AccountChangeRequest,
  before: AccountListing,
): void {
  const {
    accountId,
    requestsPerSecond = before.requestsPerSecond,
    submissionsPerMinute = before.submissionsPerMinute,
  } = request;
  const isSame =
    requestsPerSecond === before.requestsPerSecond &&
    submissionsPerMinute === before.submissionsPerMinute;
  if (isSame) return;
  database.run(
    `UPDATE account SET requests_per_second = :requestsPerSecond, submissions_per_minute = :submissionsPerMinute
     WHERE id = :accountId`,
    { accountId, requestsPerSecond, submissionsPerMinute },
  );
  note(database, request, "account_limits_changed", {
    requests_per_second: requestsPerSecond,
    submissions_per_minute: submissionsPerMinute,
  });
}

function suspend(
  database: Database,
  request: AccountChangeRequest & { suspension?: { reason: string } | null },
  before: AccountListing,
): void {
  const { accountId, nowMs } = request;
  const reason = request.suspension?.reason ?? "";
  requireOtherOperator(database, accountId);
  database.run(
    `UPDATE account SET suspended_ms = coalesce(suspended_ms, :nowMs), suspended_reason = :reason, ending = 'suspended'
     WHERE id = :accountId`,
    { accountId, nowMs, reason },
  );
  database.run("DELETE FROM session WHERE account_id = :accountId", { accountId });
  // Free text may name a person, so the audit log omits it.
  if (before.suspendedMs === null) note(database, request, "account_suspended");
  else if (before.suspendedReason !== reason) {
    note(database, request, "account_suspended", { reason_changed: true });
  }
}

function restore(database: Database, request: AccountChangeRequest, before: AccountListing): void {
  if (before.suspendedMs === null) return;
  const { accountId } = request;
  database.run(
    "UPDATE account SET suspended_ms = NULL, suspended_reason = NULL, ending = NULL WHERE id = :accountId",
    { accountId },
  );
  note(database, request, "account_restored");
}

function note(
  database: Database,
  { accountId, actor, nowMs }: AccountChangeRequest,
  action: AuditNote["action"],
  detail: AuditNote["detail"] = {},
): void {
  noteAudit(database, { atMs: nowMs, action, actor, accountId, detail });
}
