import type { Database } from "../../db/open.ts";
import { read } from "../../db/operations.ts";
import type { Caller } from "../authenticate.ts";

type Named = Pick<Caller, "keyId" | "accountId">;

export const callerOperations = {
  /** Which of some callers are good no more: their key has ended, or their account is suspended or gone. */
  findEndedCallers: read(
    (database, asked: { callers: readonly Named[]; nowMs: number }): string[] =>
      asked.callers
        .filter((caller) => !isGood(database, caller, asked.nowMs))
        .map(({ keyId }) => keyId),
  ),
};

/** A caller without a row of its own came by a session: it is good while its account has any. */
function isGood(database: Database, { keyId, accountId }: Named, nowMs: number): boolean {
  const found = database.get<{ isGood: number }>(
    `SELECT suspended_ms IS NULL
       AND CASE WHEN api_key.id IS NULL
         THEN EXISTS (SELECT 1 FROM session WHERE session.account_id = account.id AND session.expires_ms > :nowMs)
         ELSE revoked = 0 AND (api_key.expires_ms IS NULL OR api_key.expires_ms > :nowMs) END AS isGood
     FROM account LEFT JOIN api_key ON api_key.id = :keyId
     WHERE account.id = :accountId`,
    { keyId, accountId, nowMs },
  );
  return found?.isGood === 1;
}
