import { durable, read, relaxed } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { accountNameSql } from "../admin/names.ts";
import { writeAuditEntry } from "../audit.ts";
import { forgetExpiredIdentities } from "../closed-identities.ts";
import { sweepGrants } from "../grants/operations.ts";
import { useWriteIntervalMs } from "./find-session.ts";
import {
  addSession,
  type NewSession,
  type SignInMethod,
  type StartedSession,
} from "./new-session.ts";

export type SessionRow = {
  id: string;
  method: SignInMethod;
  agent: string;
  addressGroup: string;
  createdMs: number;
  usedMs: number;
  expiresMs: number;
};

export type SignedInAccount = {
  id: string;
  name: string;
  provider: "github" | "gitlab" | null;
  role: "member" | "operator";
  createdMs: number;
  firstKeyMs: number | null;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

type OwnSession = { accountId: string; sessionId: string };

export function sessionOperations(randomBytes: RandomBytes) {
  return {
    startSession: durable(function* (
      database,
      request: NewSession & { accountId: string },
    ): Steps<StartedSession> {
      return yield* addSession(database, request.accountId, request, randomBytes);
    }),

    /** Starts the grace period of the former token. */
    advanceSession: durable(function* (
      database,
      request: {
        sessionId: string;
        generation: number;
        clientHash: string;
        formerUntilMs: number;
        nowMs: number;
      },
    ): Steps<null> {
      yield* database.run(
        `UPDATE session SET generation = :generation, asker = :clientHash, former_until_ms = :formerUntilMs, rotated_ms = :nowMs,
             used_ms = max(used_ms, :nowMs)
           WHERE id = :sessionId AND generation < :generation`,
        request,
      );
      return null;
    }),

    /** Writes at most once a minute. */
    recordSessionUse: relaxed(function* (
      database,
      { sessionId, nowMs }: { sessionId: string; nowMs: number },
    ): Steps<null> {
      yield* database.run(
        "UPDATE session SET used_ms = :nowMs WHERE id = :sessionId AND used_ms <= :beforeMs",
        { sessionId, nowMs, beforeMs: nowMs - useWriteIntervalMs },
      );
      return null;
    }),

    endSession: durable(function* (
      database,
      request: OwnSession & { action: "signed_out" | "session_ended"; nowMs: number },
    ): Steps<boolean> {
      const { accountId, sessionId, action, nowMs } = request;
      const endedCount = yield* database.run(
        "DELETE FROM session WHERE id = :sessionId AND account_id = :accountId",
        { sessionId, accountId },
      );
      if (endedCount === 0) return false;
      yield* writeAuditEntry(database, { atMs: nowMs, action, actor: { accountId }, accountId });
      return true;
    }),

    endSessions: durable(function* (
      database,
      { accountId, nowMs }: { accountId: string; nowMs: number },
    ): Steps<number> {
      const sessions = yield* database.run("DELETE FROM session WHERE account_id = :accountId", {
        accountId,
      });
      yield* writeAuditEntry(database, {
        atMs: nowMs,
        action: "sessions_ended",
        actor: { accountId },
        accountId,
        detail: { sessions },
      });
      return sessions;
    }),

    /** User and thief cannot be distinguished, so the session ends. */
    endStolenSession: durable(function* (
      database,
      { sessionId, nowMs }: { sessionId: string; nowMs: number },
    ): Steps<null> {
      const row = yield* database.get<{ accountId: string }>(
        "SELECT account_id AS accountId FROM session WHERE id = :sessionId",
        { sessionId },
      );
      if (row === undefined) return null;
      yield* database.run("DELETE FROM session WHERE id = :sessionId", { sessionId });
      yield* writeAuditEntry(database, {
        atMs: nowMs,
        action: "session_stolen",
        actor: "service",
        accountId: row.accountId,
      });
      return null;
    }),

    listSessions: read(function* (
      database,
      { accountId, idleMs, nowMs }: { accountId: string; idleMs: number; nowMs: number },
    ): Steps<SessionRow[]> {
      return yield* database.all<SessionRow>(
        `SELECT id, way AS method, agent, address_group AS addressGroup, created_ms AS createdMs, used_ms AS usedMs,
                  expires_ms AS expiresMs
           FROM session WHERE account_id = :accountId AND expires_ms > :nowMs AND used_ms > :beforeMs
           ORDER BY used_ms DESC, id`,
        { accountId, nowMs, beforeMs: nowMs - idleMs },
      );
    }),

    signedInAccount: read(function* (
      database,
      { accountId }: { accountId: string },
    ): Steps<SignedInAccount | null> {
      return (
        (yield* database.get<SignedInAccount>(
          `SELECT account.id, ${accountNameSql} AS name, provider, role, account.created_ms AS createdMs, first_key_ms AS firstKeyMs,
                  requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute
           FROM account LEFT JOIN identity ON identity.account_id = account.id
           WHERE account.id = :accountId ORDER BY identity.seen_ms DESC LIMIT 1`,
          { accountId },
        )) ?? null
      );
    }),

    sweepSessions: relaxed(function* (
      database,
      { idleMs, nowMs }: { idleMs: number; nowMs: number },
    ): Steps<null> {
      yield* database.run(
        "DELETE FROM session WHERE expires_ms <= :nowMs OR used_ms <= :beforeMs",
        {
          nowMs,
          beforeMs: nowMs - idleMs,
        },
      );
      yield* database.run("DELETE FROM sign_in_attempt WHERE expires_ms <= :nowMs", { nowMs });
      yield* database.run("DELETE FROM sign_in_link WHERE expires_ms <= :nowMs", { nowMs });
      yield* sweepGrants(database, nowMs);
      yield* forgetExpiredIdentities(database, nowMs);
      return null;
    }),
  };
}
