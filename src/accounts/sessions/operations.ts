import type { Database } from "../../db/open.ts";
import { durable, read, relaxed } from "../../db/operations.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { accountNameSql } from "../admin/names.ts";
import { noteAudit } from "../audit.ts";
import { useNotedMs } from "./find-session.ts";
import { addSession, type NewSession, type SignInWay, type StartedSession } from "./new-session.ts";
import { hashOfSecret, isSameHash, newSecret } from "./session-token.ts";

export type SessionRow = {
  id: string;
  way: SignInWay;
  agent: string;
  addressGroup: string;
  createdMs: number;
  usedMs: number;
  expiresMs: number;
};

/** What the dashboard tells somebody of their own account. */
export type SignedInAccount = {
  id: string;
  /** As people are shown it. */
  name: string;
  provider: "github" | "gitlab" | null;
  role: "member" | "operator";
  createdMs: number;
  firstKeyMs: number | null;
  submissionsPerMinute: number | null;
};

type RotatedSession = { secret: string; expiresMs: number };

type OfSession = { accountId: string; sessionId: string };

export function sessionOperations(randomBytes: RandomBytes) {
  return {
    /** A session of an account that exists. */
    startSession: durable(
      (database, asked: NewSession & { accountId: string }): StartedSession =>
        addSession(database, asked.accountId, asked, randomBytes),
    ),

    /**
     * A fresh secret in the place of one that is older than `rotationMs`; null when there is none to replace. One that was handed
     * out longer than `formerMs` ago and never used is replaced again: it was lost on its way.
     */
    rotateSession: durable(
      (
        database,
        asked: {
          sessionId: string;
          secretHash: string;
          rotationMs: number;
          formerMs: number;
          nowMs: number;
        },
      ): RotatedSession | null => {
        const { sessionId, nowMs } = asked;
        const row = secretsOf(database, sessionId);
        if (row === undefined) return null;
        const presented = Buffer.from(asked.secretHash, "base64");
        const isUnused = row.formerUntilMs === null && isSameHash(row.formerHash, presented);
        const isLost = isUnused && row.rotatedMs + asked.formerMs <= nowMs;
        const isCurrent = isSameHash(row.tokenHash, presented);
        const isDue = isCurrent && row.rotatedMs + asked.rotationMs <= nowMs;
        if (!isDue && !isLost) return null;
        const secret = newSecret(randomBytes);
        database.run(
          `UPDATE session SET token_hash = :tokenHash, former_hash = :formerHash, former_until_ms = NULL, rotated_ms = :nowMs
           WHERE id = :sessionId`,
          {
            sessionId,
            nowMs,
            tokenHash: Buffer.from(hashOfSecret(secret), "base64"),
            formerHash: presented,
          },
        );
        return { secret, expiresMs: row.expiresMs };
      },
    ),

    /** From the first use of a fresh secret on, the time of the one before it runs out. */
    endFormerSecret: durable(
      (
        database,
        { sessionId, untilMs, nowMs }: { sessionId: string; untilMs: number; nowMs: number },
      ): null => {
        database.run(
          `UPDATE session SET former_until_ms = :untilMs, used_ms = max(used_ms, :nowMs)
           WHERE id = :sessionId AND former_hash IS NOT NULL AND former_until_ms IS NULL`,
          { sessionId, untilMs, nowMs },
        );
        return null;
      },
    ),

    /** Written at most once a minute of a session, however often it is called. */
    noteSessionUse: relaxed(
      (database, { sessionId, nowMs }: { sessionId: string; nowMs: number }): null => {
        database.run(
          "UPDATE session SET used_ms = :nowMs WHERE id = :sessionId AND used_ms <= :beforeMs",
          { sessionId, nowMs, beforeMs: nowMs - useNotedMs },
        );
        return null;
      },
    ),

    /** Signs out, or ends another session of the same account; false when there is no such session. */
    endSession: durable(
      (
        database,
        asked: OfSession & { action: "signed_out" | "session_ended"; nowMs: number },
      ): boolean => {
        const { accountId, sessionId, action, nowMs } = asked;
        const ended = database.run(
          "DELETE FROM session WHERE id = :sessionId AND account_id = :accountId",
          { sessionId, accountId },
        );
        if (ended === 0) return false;
        noteAudit(database, { atMs: nowMs, action, actor: { accountId }, accountId });
        return true;
      },
    ),

    /** Signs out everywhere. */
    endSessions: durable(
      (database, { accountId, nowMs }: { accountId: string; nowMs: number }): number => {
        const sessions = database.run("DELETE FROM session WHERE account_id = :accountId", {
          accountId,
        });
        noteAudit(database, {
          atMs: nowMs,
          action: "sessions_ended",
          actor: { accountId },
          accountId,
          detail: { sessions },
        });
        return sessions;
      },
    ),

    /** Ends a session of which somebody showed a secret that was replaced: who of the two it was cannot be told. */
    endStolenSession: durable(
      (database, { sessionId, nowMs }: { sessionId: string; nowMs: number }): null => {
        const row = database.get<{ accountId: string }>(
          "SELECT account_id AS accountId FROM session WHERE id = :sessionId",
          { sessionId },
        );
        if (row === undefined) return null;
        database.run("DELETE FROM session WHERE id = :sessionId", { sessionId });
        noteAudit(database, {
          atMs: nowMs,
          action: "session_stolen",
          actor: "service",
          accountId: row.accountId,
        });
        return null;
      },
    ),

    /** The sessions of an account that live, the one that was used last first. */
    listSessions: read(
      (
        database,
        { accountId, idleMs, nowMs }: { accountId: string; idleMs: number; nowMs: number },
      ): SessionRow[] =>
        database.all<SessionRow>(
          `SELECT id, way, agent, address_group AS addressGroup, created_ms AS createdMs, used_ms AS usedMs,
                  expires_ms AS expiresMs
           FROM session WHERE account_id = :accountId AND expires_ms > :nowMs AND used_ms > :beforeMs
           ORDER BY used_ms DESC, id`,
          { accountId, nowMs, beforeMs: nowMs - idleMs },
        ),
    ),

    /** Null when it was deleted meanwhile. */
    signedInAccount: read(
      (database, { accountId }: { accountId: string }): SignedInAccount | null =>
        database.get<SignedInAccount>(
          `SELECT account.id, ${accountNameSql} AS name, provider, role, account.created_ms AS createdMs, first_key_ms AS firstKeyMs,
                  submissions_per_minute AS submissionsPerMinute
           FROM account LEFT JOIN identity ON identity.account_id = account.id
           WHERE account.id = :accountId ORDER BY identity.seen_ms DESC LIMIT 1`,
          { accountId },
        ) ?? null,
    ),

    /** Removes what is over: sessions, sign-ins under way, links. */
    sweepSessions: relaxed(
      (database, { idleMs, nowMs }: { idleMs: number; nowMs: number }): null => {
        database.run("DELETE FROM session WHERE expires_ms <= :nowMs OR used_ms <= :beforeMs", {
          nowMs,
          beforeMs: nowMs - idleMs,
        });
        database.run("DELETE FROM sign_in_attempt WHERE expires_ms <= :nowMs", { nowMs });
        database.run("DELETE FROM sign_in_link WHERE expires_ms <= :nowMs", { nowMs });
        return null;
      },
    ),
  };
}

type Secrets = {
  tokenHash: Uint8Array;
  formerHash: Uint8Array | null;
  formerUntilMs: number | null;
  rotatedMs: number;
  expiresMs: number;
};

function secretsOf(database: Database, sessionId: string): Secrets | undefined {
  return database.get<Secrets>(
    `SELECT token_hash AS tokenHash, former_hash AS formerHash, former_until_ms AS formerUntilMs, rotated_ms AS rotatedMs,
            expires_ms AS expiresMs
     FROM session WHERE id = :sessionId`,
    { sessionId },
  );
}
