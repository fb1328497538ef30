import type { Database } from "../../db/open.ts";
import { durable, read, relaxed } from "../../db/operations.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { noteAudit } from "../audit.ts";
import { insertAccount } from "../insert-account.ts";
import { addSession, type NewSession, type StartedSession } from "../sessions/new-session.ts";
import { hashOfSecret, isSameHash, newSecret } from "../sessions/session-token.ts";
import { attemptOperations } from "./attempt-operations.ts";
import type { ProviderName } from "./provider.ts";
import type { RefusalWord } from "./refusal.ts";

/** The session that the browser held before: whoever signs in leaves it, whoever's it was. */
export type LeftSession = { id: string; secretHash: string } | null;

export type SignedIn =
  | { kind: "signed_in"; accountId: string; session: StartedSession }
  | { kind: "suspended" };

type Arrival = NewSession & { leaves: LeftSession };

/** The account that links without an account lead to. */
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
    if (account === undefined || account.suspendedMs !== null) return { kind: "suspended" };
    if (isOperator) makeOperator(database, accountId, arrival.nowMs);
    leave(database, arrival.leaves);
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

  function identify(
    database: Database,
    asked: { provider: ProviderName; subject: string; login: string; nowMs: number },
  ): string {
    const { provider, subject, login, nowMs } = asked;
    const held = database.get<{ accountId: string }>(
      `UPDATE identity SET login = :login, seen_ms = :nowMs WHERE provider = :provider AND subject = :subject
       RETURNING account_id AS accountId`,
      { provider, subject, login, nowMs },
    );
    if (held !== undefined) return held.accountId;
    const accountId = makeAccount(database, null, { nowMs, way: provider });
    database.run(
      `INSERT INTO identity(provider, subject, account_id, login, created_ms, seen_ms)
       VALUES(:provider, :subject, :accountId, :login, :nowMs, :nowMs)`,
      { provider, subject, accountId, login, nowMs },
    );
    return accountId;
  }

  return {
    ...attemptOperations,

    /** A session for whoever has this number at the provider, with an account if it is the first. */
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
        return arrive(database, { accountId, isOperator: asked.isOperator }, asked);
      },
    ),

    noteRefusedSignIn: relaxed(
      (
        database,
        asked: {
          way: ProviderName | "link";
          word: RefusalWord;
          reason: string;
          nowMs: number;
        },
      ): null => {
        const { way, word, reason, nowMs } = asked;
        noteAudit(database, {
          atMs: nowMs,
          action: "sign_in_refused",
          actor: "service",
          accountId: null,
          detail: { way, word, reason },
        });
        return null;
      },
    ),

    /** The token of a link that signs in once: to the account, or to the operator's where it is null. */
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

    /** A session for whoever has a link, which this ends; null when there is none of that token, or its time is over. */
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
      const accountId =
        idOfName(database, operatorName) ?? makeAccount(database, operatorName, asked);
      return arrive(database, { accountId, isOperator: true }, asked);
    }),

    /** Whether anybody ever was an operator. */
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

/** A secret that fits is asked for, so that nobody ends another's session by its id. */
function leave(database: Database, leaves: LeftSession): void {
  if (leaves === null) return;
  const { id, secretHash } = leaves;
  const row = database.get<{ tokenHash: Uint8Array; formerHash: Uint8Array | null }>(
    "SELECT token_hash AS tokenHash, former_hash AS formerHash FROM session WHERE id = :id",
    { id },
  );
  if (row === undefined) return;
  const presented = Buffer.from(secretHash, "base64");
  if (!isSameHash(row.tokenHash, presented) && !isSameHash(row.formerHash, presented)) return;
  database.run("DELETE FROM session WHERE id = :id", { id });
}

function idOfName(database: Database, name: string): string | null {
  return (
    database.get<{ id: string }>("SELECT id FROM account WHERE name = :name", { name })?.id ?? null
  );
}
