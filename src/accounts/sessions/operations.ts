import { durable, read, relaxed } from "../../db/operations.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { accountNameSql } from "../admin/names.ts";
import { noteAudit } from "../audit.ts";
import { forgetRemembered } from "../closed-identities.ts";
import { useNotedMs } from "./find-session.ts";
import {
  addSession,
  type NewSession,
  type SignInMethod,
  type StartedSession,
} from "./new-session.ts";

export type SessionRow = {
  id: string;
  way: SignInMethod;
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

type OfSession = { accountId: string; sessionId: string };

export function sessionOperations(randomBytes: RandomBytes) {
  return {
    startSession: durable(
      (database, request: NewSession & { accountId: string }): StartedSession =>
        addSession(database, request.accountId, request, randomBytes),
    ),

    /** First use of a replacement token: makes it current and starts the grace period of its predecessor. */
    advanceSession: durable(
      (
        database,
        request: {
          sessionId: string;
          generation: number;
          asker: string;
          formerUntilMs: number;
          nowMs: number;
        },
      ): null => {
        database.run(
          `UPDATE session SET generation = :generation, asker = :asker, former_until_ms = :formerUntilMs, rotated_ms = :nowMs,
             used_ms = max(used_ms, :nowMs)
           WHERE id = :sessionId AND generation < :generation`,
          request,
        );
        return null;
      },
    ),

    /** Writes at most once a minute. */
    noteSessionUse: relaxed(
      (database, { sessionId, nowMs }: { sessionId: string; nowMs: number }): null => {
        database.run(
          "UPDATE session SET used_ms = :nowMs WHERE id = :sessionId AND used_ms <= :beforeMs",
          { sessionId, nowMs, beforeMs: nowMs - useNotedMs },
        );
        return null;
      },
    ),

    endSession: durable(
      (
        database,
        request: OfSession & { action: "signed_out" | "session_ended"; nowMs: number },
      ): boolean => {
        const { accountId, sessionId, action, nowMs } = request;
        const ended = database.run(
          "DELETE FROM session WHERE id = :sessionId AND account_id = :accountId",
          { sessionId, accountId },
        );
        if (ended === 0) return false;
        noteAudit(database, { atMs: nowMs, action, actor: { accountId }, accountId });
        return true;
      },
    ),

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

    /** A replaced token was used again: the user and the thief cannot be distinguished. */
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

    /** Most recently used first. */
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

    signedInAccount: read(
      (database, { accountId }: { accountId: string }): SignedInAccount | null =>
        database.get<SignedInAccount>(
          `SELECT account.id, ${accountNameSql} AS name, provider, role, account.created_ms AS createdMs, first_key_ms AS firstKeyMs,
                  requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute
           FROM account LEFT JOIN identity ON identity.account_id = account.id
           WHERE account.id = :accountId ORDER BY identity.seen_ms DESC LIMIT 1`,
          { accountId },
        ) ?? null,
    ),

    sweepSessions: relaxed(
      (database, { idleMs, nowMs }: { idleMs: number; nowMs: number }): null => {
        database.run("DELETE FROM session WHERE expires_ms <= :nowMs OR used_ms <= :beforeMs", {
          nowMs,
          beforeMs: nowMs - idleMs,
        });
        database.run("DELETE FROM sign_in_attempt WHERE expires_ms <= :nowMs", { nowMs });
        database.run("DELETE FROM sign_in_link WHERE expires_ms <= :nowMs", { nowMs });
        forgetRemembered(database, nowMs);
        return null;
      },
    ),
  };
}
