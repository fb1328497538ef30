import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { writeAuditEntry } from "../audit.ts";
import { findClosedIdentity, maxSignUps, restoreRememberedLimits } from "../closed-identities.ts";
import { insertAccount } from "../insert-account.ts";
import { addSession, type NewSession, type StartedSession } from "../sessions/new-session.ts";
import { hashTokenSecret, newSecret } from "../sessions/session-token.ts";
import { attemptOperations } from "./attempt-operations.ts";
import type { ProviderName } from "./provider.ts";

/** The browser's earlier session, which signing in ends. */
export type PreviousSession = string | null;

export type SignInResult =
  | { kind: "signed_in"; accountId: string; session: StartedSession }
  | { kind: "suspended" }
  /** The user deleted accounts too often. */
  | { kind: "too_many" };

type SignInRequest = NewSession & { previousSession: PreviousSession };

/** Name of the operator's account, unless the name is in use. */
const operatorName = "operator";

export function signInOperations(randomBytes: RandomBytes) {
  function* startSession(
    database: Database,
    { accountId, isOperator }: { accountId: string; isOperator: boolean },
    request: SignInRequest,
  ): Steps<SignInResult> {
    const account = yield* database.get<{ suspendedMs: number | null }>(
      "SELECT suspended_ms AS suspendedMs FROM account WHERE id = :accountId",
      { accountId },
    );
    if (account === undefined || account.suspendedMs !== null) {
      const { method, nowMs } = request;
      const detail = { way: method, word: "suspended", reason: "account_suspended" };
      yield* recordRefusal(database, { accountId, detail, nowMs });
      return { kind: "suspended" };
    }
    if (isOperator) yield* makeOperator(database, accountId, request.nowMs);
    if (request.previousSession !== null) {
      yield* database.run("DELETE FROM session WHERE id = :id", { id: request.previousSession });
    }
    const session = yield* addSession(database, accountId, request, randomBytes);
    const { nowMs: atMs, method } = request;
    yield* writeAuditEntry(database, {
      atMs,
      action: "signed_in",
      actor: { accountId },
      accountId,
      detail: { way: method },
    });
    return { kind: "signed_in", accountId, session };
  }

  function* makeAccount(
    database: Database,
    name: string | null,
    { nowMs, method }: { nowMs: number; method: string },
  ): Steps<string> {
    const accountId = yield* insertAccount(database, { name, nowMs }, randomBytes);
    yield* writeAuditEntry(database, {
      atMs: nowMs,
      action: "account_created",
      actor: { accountId },
      accountId,
      detail: { way: method },
    });
    return accountId;
  }

  function* makeLinksAccount(
    database: Database,
    request: { nowMs: number; method: string },
  ): Steps<string> {
    const existingAccount = yield* database.get(
      "SELECT 1 FROM account WHERE name = :operatorName",
      {
        operatorName,
      },
    );
    const accountId = yield* makeAccount(database, existingAccount ? null : operatorName, request);
    yield* database.run("UPDATE account SET is_links_account = 1 WHERE id = :accountId", {
      accountId,
    });
    return accountId;
  }

  function* identify(
    database: Database,
    request: { provider: ProviderName; subject: string; login: string; nowMs: number },
  ): Steps<string | null> {
    const { provider, subject, login, nowMs } = request;
    const row = yield* database.get<{ accountId: string }>(
      `UPDATE identity SET login = :login, seen_ms = :nowMs WHERE provider = :provider AND subject = :subject
       RETURNING account_id AS accountId`,
      { provider, subject, login, nowMs },
    );
    if (row !== undefined) return row.accountId;
    const closedIdentity = yield* findClosedIdentity(database, { provider, subject }, nowMs);
    if (closedIdentity !== null && closedIdentity.closings > maxSignUps) return null;
    const accountId = yield* makeAccount(database, null, { nowMs, method: provider });
    if (closedIdentity !== null)
      yield* restoreRememberedLimits(database, accountId, closedIdentity);
    yield* database.run(
      `INSERT INTO identity(provider, subject, account_id, login, created_ms, seen_ms)
       VALUES(:provider, :subject, :accountId, :login, :nowMs, :nowMs)`,
      { provider, subject, accountId, login, nowMs },
    );
    return accountId;
  }

  return {
    ...attemptOperations,

    signInIdentity: durable(function* (
      database,
      request: SignInRequest & {
        provider: ProviderName;
        subject: string;
        login: string;
        isOperator: boolean;
      },
    ): Steps<SignInResult> {
      const accountId = yield* identify(database, request);
      if (accountId === null) return { kind: "too_many" };
      return yield* startSession(database, { accountId, isOperator: request.isOperator }, request);
    }),

    /** Audits only refusals of users with an account, because others could fill the log. */
    recordNotAllowed: durable(function* (
      database,
      request: { provider: ProviderName; subject: string; reason: string; nowMs: number },
    ): Steps<null> {
      const { provider, subject, reason, nowMs } = request;
      const row = yield* database.get<{ accountId: string }>(
        "SELECT account_id AS accountId FROM identity WHERE provider = :provider AND subject = :subject",
        { provider, subject },
      );
      if (row === undefined) return null;
      const detail = { way: provider, word: "not_allowed", reason };
      yield* recordRefusal(database, { accountId: row.accountId, detail, nowMs });
      return null;
    }),

    /** If `accountId` is null, the link is for the operator's account. */
    makeSignInLink: durable(function* (
      database,
      request: {
        accountId: string | null;
        actor: "command_line" | "service";
        nowMs: number;
        expiresMs: number;
      },
    ): Steps<string> {
      const { accountId, actor, nowMs, expiresMs } = request;
      const secret = newSecret(randomBytes);
      yield* database.run("DELETE FROM sign_in_link WHERE expires_ms <= :nowMs", { nowMs });
      yield* database.run(
        "INSERT INTO sign_in_link(hash, account_id, expires_ms) VALUES(:hash, :accountId, :expiresMs)",
        { hash: Buffer.from(hashTokenSecret(secret), "base64"), accountId, expiresMs },
      );
      yield* writeAuditEntry(database, {
        atMs: nowMs,
        action: "sign_in_link_made",
        actor,
        accountId,
      });
      return secret;
    }),

    signInWithLink: durable(function* (
      database,
      request: SignInRequest & { hash: string },
    ): Steps<SignInResult | null> {
      const { nowMs } = request;
      const link = yield* database.get<{ accountId: string | null; expiresMs: number }>(
        "DELETE FROM sign_in_link WHERE hash = :hash RETURNING account_id AS accountId, expires_ms AS expiresMs",
        { hash: Buffer.from(request.hash, "base64") },
      );
      if (link === undefined || link.expiresMs <= nowMs) return null;
      if (link.accountId !== null) {
        return yield* startSession(
          database,
          { accountId: link.accountId, isOperator: false },
          request,
        );
      }
      const accountId =
        (yield* findLinksAccount(database)) ?? (yield* makeLinksAccount(database, request));
      return yield* startSession(database, { accountId, isOperator: true }, request);
    }),

    hasOperator: read(function* (database, _args: null): Steps<boolean> {
      return (
        (yield* database.get("SELECT 1 FROM account WHERE role = 'operator' LIMIT 1")) !== undefined
      );
    }),
  };
}

function* makeOperator(database: Database, accountId: string, nowMs: number): Steps<void> {
  const changedCount = yield* database.run(
    "UPDATE account SET role = 'operator' WHERE id = :accountId AND role <> 'operator'",
    { accountId },
  );
  if (changedCount === 0) return;
  yield* writeAuditEntry(database, {
    atMs: nowMs,
    action: "account_role_changed",
    actor: "service",
    accountId,
    detail: { role: "operator" },
  });
}

function* recordRefusal(
  database: Database,
  request: { accountId: string; detail: Record<string, string>; nowMs: number },
): Steps<void> {
  const { accountId, detail, nowMs: atMs } = request;
  yield* writeAuditEntry(database, {
    atMs,
    action: "sign_in_refused",
    actor: "service",
    accountId,
    detail,
  });
}

/** The operator's account, found by its flag, never by its name. */
function* findLinksAccount(database: Database): Steps<string | null> {
  const row = yield* database.get<{ id: string }>(
    "SELECT id FROM account WHERE is_links_account = 1",
  );
  return row?.id ?? null;
}
