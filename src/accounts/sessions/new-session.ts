import type { Database, Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { writeAuditEntry } from "../audit.ts";
import { firstToken, type SessionToken } from "./session-token.ts";

export type SignInMethod = "github" | "gitlab" | "link";

export type NewSession = {
  method: SignInMethod;
  agent: string;
  addressGroup: string;
  maxAgeMs: number;
  maxPerAccount: number;
  nowMs: number;
};

export type StartedSession = {
  id: string;
  token: SessionToken;
};

/** Above `maxPerAccount`, ends the least recently used session. */
export function* addSession(
  database: Database,
  accountId: string,
  { method, agent, addressGroup, maxAgeMs, maxPerAccount, nowMs }: NewSession,
  randomBytes: RandomBytes,
): Steps<StartedSession> {
  const { id, ...token } = firstToken(randomBytes);
  const evictedCount = yield* database.run(
    `DELETE FROM session WHERE id IN (
       SELECT id FROM session WHERE account_id = :accountId ORDER BY used_ms DESC, id LIMIT 1000000 OFFSET :others)`,
    { accountId, others: maxPerAccount - 1 },
  );
  if (evictedCount > 0) {
    const detail = { reason: "too_many", sessions: evictedCount };
    yield* writeAuditEntry(database, {
      atMs: nowMs,
      action: "session_ended",
      actor: "service",
      accountId,
      detail,
    });
  }
  yield* database.run(
    `INSERT INTO session(id, account_id, generation, asker, way, agent, address_group, created_ms, used_ms, rotated_ms, expires_ms)
     VALUES(:id, :accountId, :generation, :clientHash, :way, :agent, :addressGroup, :nowMs, :nowMs, :nowMs, :expiresMs)`,
    {
      id,
      accountId,
      generation: token.generation,
      clientHash: token.clientHash,
      way: method,
      agent,
      addressGroup,
      nowMs,
      expiresMs: nowMs + maxAgeMs,
    },
  );
  return { id, token };
}
