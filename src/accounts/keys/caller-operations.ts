import type { Database } from "../../db/open.ts";
import { read } from "../../db/operations.ts";
import { authenticate, type Caller, type PresentedKey } from "../authenticate.ts";

type Named = Pick<Caller, "keyId" | "accountId" | "sessionId">;

export const callerOperations = {
  /** Does not count against the key's rates. */
  introspectKey: read((database, request: PresentedKey) => authenticate(database, request)),

  /** Session IDs, else key IDs, whose key, session or account has ended. */
  findEndedCallers: read(
    (database, request: { callers: readonly Named[]; idleMs: number; nowMs: number }): string[] =>
      request.callers
        .filter((caller) => !isGood(database, caller, request))
        .map(({ keyId, sessionId }) => sessionId ?? keyId),
  ),
};

function isGood(
  database: Database,
  { keyId, accountId, sessionId }: Named,
  { idleMs, nowMs }: { idleMs: number; nowMs: number },
): boolean {
  const found =
    sessionId === undefined
      ? database.get(
          `SELECT 1 FROM api_key JOIN account ON account.id = api_key.account_id
           WHERE api_key.id = :keyId AND account.id = :accountId AND suspended_ms IS NULL AND revoked = 0
             AND (api_key.expires_ms IS NULL OR api_key.expires_ms > :nowMs)`,
          { keyId, accountId, nowMs },
        )
      : database.get(
          `SELECT 1 FROM session JOIN account ON account.id = session.account_id
           WHERE session.id = :sessionId AND account.id = :accountId AND suspended_ms IS NULL
             AND session.expires_ms > :nowMs AND session.used_ms > :beforeMs`,
          { sessionId, accountId, nowMs, beforeMs: nowMs - idleMs },
        );
  return found !== undefined;
}
