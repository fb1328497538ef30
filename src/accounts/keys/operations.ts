import { read } from "../../db/operations.ts";
import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Caller } from "../authenticate.ts";
import { isConnectedSql } from "../grants/grant-rows.ts";
import { commandLineKeyOperations } from "./command-line-operations.ts";
import { keyEndOperations } from "./end-operations.ts";
import { ownKeyOperations } from "./own-operations.ts";

export function keyOperations(randomBytes: RandomBytes) {
  return {
    ...commandLineKeyOperations(randomBytes),
    ...ownKeyOperations(randomBytes),
    ...keyEndOperations(randomBytes),
    ...callerOperations,
  };
}

type CallerIds = Pick<Caller, "keyId" | "accountId" | "sessionId" | "grantId">;

const callerOperations = {
  /** Returns the session or key IDs of ended callers. */
  findEndedCallers: read(function* (
    database,
    request: { callers: readonly CallerIds[]; idleMs: number; nowMs: number },
  ): Steps<string[]> {
    return yield* mapNonNull(request.callers, function* (caller) {
      const { keyId, sessionId } = caller;
      const isUsable = yield* isValid(database, caller, request);
      return isUsable ? null : (sessionId ?? keyId);
    });
  }),
};

function* isValid(
  database: Database,
  { keyId, accountId, sessionId, grantId }: CallerIds,
  { idleMs, nowMs }: { idleMs: number; nowMs: number },
): Steps<boolean> {
  if (grantId !== undefined) return yield* isConnected(database, { grantId, accountId, nowMs });
  const found =
    sessionId === undefined
      ? yield* database.get(
          `SELECT 1 FROM api_key JOIN account ON account.id = api_key.account_id
           WHERE api_key.id = :keyId AND account.id = :accountId AND suspended_ms IS NULL AND revoked = 0
             AND (api_key.expires_ms IS NULL OR api_key.expires_ms > :nowMs)`,
          { keyId, accountId, nowMs },
        )
      : yield* database.get(
          `SELECT 1 FROM session JOIN account ON account.id = session.account_id
           WHERE session.id = :sessionId AND account.id = :accountId AND suspended_ms IS NULL
             AND session.expires_ms > :nowMs AND session.used_ms > :beforeMs`,
          { sessionId, accountId, nowMs, beforeMs: nowMs - idleMs },
        );
  return found !== undefined;
}

/** An expired access token does not end a pending request. */
function* isConnected(
  database: Database,
  request: { grantId: string; accountId: string; nowMs: number },
): Steps<boolean> {
  const found = yield* database.get(
    `SELECT 1 FROM oauth_grant JOIN account ON account.id = oauth_grant.account_id
     WHERE oauth_grant.id = :grantId AND account.id = :accountId AND suspended_ms IS NULL AND ${isConnectedSql}`,
    request,
  );
  return found !== undefined;
}
