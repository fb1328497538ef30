import type { Database } from "../../db/open.ts";
import { durable, read } from "../../db/operations.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { noteAudit } from "../audit.ts";
import { mostSignUps, rememberedOf, restoreRemembered } from "../closed-identities.ts";
import { insertAccount } from "../insert-account.ts";
import { addSession, type NewSession, type StartedSession } from "../sessions/new-session.ts";
import { hashOfSecret, newSecret } from "../sessions/session-token.ts";
import { attemptOperations } from "./attempt-operations.ts";
import type { ProviderName } from "./provider.ts";

/** The browser's earlier session, which signing in ends. */
export type LeftSession = string | null;

export type SignedIn =
  | { kind: "signed_in"; accountId: string; session: StartedSession }
  | { kind: "suspended" }
  /** Deleted accounts too often. */
  | { kind: "too_many" };

type Arrival = NewSession & { leaves: LeftSession };

/** Account of links without one, unless the name is taken. */
const operatorName = "operator";

export function signInOperations(randomBytes: RandomBytes) {
  function arrive(
    database: Database,
    { accountId, isOperator }: { accountId: string; isOperator: boolean },
    arrival: Arrival,
  ): SignedIn {
    const account = database.get<{ suspendedMs: number | null }>(
      "SELECT suspended_ms AS suspendedMs FROM account WHERE id = :accountId",
      { accountId },
    );
    if (account === undefined || account.suspendedMs !== null) {
      const { way, nowMs } = arrival;
      const detail = { way, word: "suspended", reason: "account_suspended" };
      noteRefusal(database, { accountId, detail, nowMs });
      return { kind: "suspended" };
    }
    if (isOperator) makeOperator(database, accountId, arrival.nowMs);
    if (arrival.leaves !== null) {
      database.run("DELETE FROM session WHERE id = :id", { id: arrival.leaves });
    }
    const session = addSession(database, accountId, arrival, randomBytes);
    const { nowMs: atMs, way } = arrival;
    noteAudit(database, {
      atMs,
      action: "signed_in",
      actor: { accountId },
      accountId,
      detail: { way },
    });
    return { kind: "signed_in", accountId, session };
  }

  function makeAccount(
    database: Database,
    name: string | null,
    { nowMs, way }: { nowMs: number; way: string },
  ): string {
    const accountId = insertAccount(database, { name, nowMs }, randomBytes);
    noteAudit(database, {
      atMs: nowMs,
      action: "account_created",
      actor: { accountId },
      accountId,
      detail: { way },
    });
    return accountId;
  }

  function makeLinksAccount(database: Database, asked: { nowMs: number; way: string }): string {
    const isTaken = database.get("SELECT 1 FROM account WHERE name = :operatorName", {
      operatorName,
    });
    const accountId = makeAccount(database, isTaken ? null : operatorName, asked);
    database.run("INSERT OR REPLACE INTO setting VALUES('operator_account', :accountId)", {
      accountId,
    });
    return accountId;
  }

  function identify(
    database: Database,
    asked: { provider: ProviderName; subject: string; login: string; nowMs: number },
  ): string | null {
    const { provider, subject, login, nowMs } = asked;
    const held = database.get<{ accountId: string }>(
      `UPDATE identity SET login = :login, seen_ms = :nowMs WHERE provider = :provider AND subject = :subject
       RETURNING account_id AS accountId`,
      { provider, subject, login, nowMs },
    );
    if (held !== undefined) return held.accountId;
    const remembered = rememberedOf(database, { provider, subject }, nowMs);
    if (remembered !== null && remembered.closings > mostSignUps) return null;
    const accountId = makeAccount(database, null, { nowMs, way: provider });
    if (remembered !== null) restoreRemembered(database, accountId, remembered);
    database.run(
      `INSERT INTO identity(provider, subject, account_id, login, created_ms, seen_ms)
       VALUES(:provider, :subject, :accountId, :login, :nowMs, :nowMs)`,
      { provider, subject, accountId, login, nowMs },
    );
    return accountId;
  }

  return {
    ...attemptOperations,

    signInIdentity: durable(
      (
        database,
        asked: Arrival & {
          provider: ProviderName;
          subject: string;
          login: string;
          isOperator: boolean;
        },
      ): SignedIn => {
        const accountId = identify(database, asked);
        if (accountId === null) return { kind: "too_many" };
        return arrive(database, { accountId, isOperator: asked.isOperator }, asked);
      },
    ),

    /** Existing accounts only, so that others cannot fill the log. */
    noteNotAllowed: durable(
      (
        database,
        asked: { provider: ProviderName; subject: string; reason: string; nowMs: number },
      ): null => {
        const { provider, subject, reason, nowMs } = asked;
        const held = database.get<{ accountId: string }>(
          "SELECT account_id AS accountId FROM identity WHERE provider = :provider AND subject = :subject",
          { provider, subject },
        );
        if (held === undefined) return null;
        const detail = { way: provider, word: "not_allowed", reason };
        noteRefusal(database, { accountId: held.accountId, detail, nowMs });
        return null;
      },
    ),

    /** One-time; `accountId` null: the operator's account. */
    makeSignInLink: durable(
      (
        database,
        asked: {
          accountId: string | null;
          actor: "command_line" | "service";
          nowMs: number;
          expiresMs: number;
        },
      ): string => {
        const { accountId, actor, nowMs, expiresMs } = asked;
        const secret = newSecret(randomBytes);
        database.run("DELETE FROM sign_in_link WHERE expires_ms <= :nowMs", { nowMs });
        database.run(
          "INSERT INTO sign_in_link(hash, account_id, expires_ms) VALUES(:hash, :accountId, :expiresMs)",
          { hash: Buffer.from(hashOfSecret(secret), "base64"), accountId, expiresMs },
        );
        noteAudit(database, {
          atMs: nowMs,
          action: "sign_in_link_made",
          actor,
          accountId,
        });
        return secret;
      },
    ),

    /** Uses up the link; null if unknown or expired. */
    signInWithLink: durable((database, asked: Arrival & { hash: string }): SignedIn | null => {
      const { nowMs } = asked;
      const link = database.get<{ accountId: string | null; expiresMs: number }>(
        "DELETE FROM sign_in_link WHERE hash = :hash RETURNING account_id AS accountId, expires_ms AS expiresMs",
        { hash: Buffer.from(asked.hash, "base64") },
      );
      if (link === undefined || link.expiresMs <= nowMs) return null;
      if (link.accountId !== null) {
        return arrive(database, { accountId: link.accountId, isOperator: false }, asked);
      }
      const accountId = linksAccount(database) ?? makeLinksAccount(database, asked);
      return arrive(database, { accountId, isOperator: true }, asked);
    }),

    hasOperator: read(
      (database, _args: null): boolean =>
        database.get("SELECT 1 FROM account WHERE role = 'operator' LIMIT 1") !== undefined,
    ),
  };
}

function makeOperator(database: Database, accountId: string, nowMs: number): void {
  const changed = database.run(
    "UPDATE account SET role = 'operator' WHERE id = :accountId AND role <> 'operator'",
    { accountId },
  );
  if (changed === 0) return;
  noteAudit(database, {
    atMs: nowMs,
    action: "account_role_changed",
    actor: "service",
    accountId,
    detail: { role: "operator" },
  });
}

function noteRefusal(
  database: Database,
  asked: { accountId: string; detail: Record<string, string>; nowMs: number },
): void {
  const { accountId, detail, nowMs: atMs } = asked;
  noteAudit(database, { atMs, action: "sign_in_refused", actor: "service", accountId, detail });
}

/** Found by setting, never by name. */
function linksAccount(database: Database): string | null {
  const held = database.get<{ id: string }>(
    "SELECT id FROM setting JOIN account ON account.id = value WHERE setting.name = 'operator_account'",
  );
  return held?.id ?? null;
}
