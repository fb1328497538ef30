import type { Database } from "../../db/open.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { hashOfSecret, newSecret, newSessionId, printSessionToken } from "./session-token.ts";

/** How somebody signed in. */
export type SignInWay = "github" | "gitlab" | "link";

/** What a sign-in tells of where it came from, and how long the session may live. */
export type NewSession = {
  way: SignInWay;
  /** Such as "Firefox on Linux". */
  agent: string;
  addressGroup: string;
  maxAgeMs: number;
  maxPerAccount: number;
  nowMs: number;
};

export type StartedSession = {
  id: string;
  /** What the cookie holds: the only time it is told. */
  token: string;
};

/** A session with a fresh token. Where the account has more than it may have, those that were used longest ago end. */
export function addSession(
  database: Database,
  accountId: string,
  { way, agent, addressGroup, maxAgeMs, maxPerAccount, nowMs }: NewSession,
  randomBytes: RandomBytes,
): StartedSession {
  const id = newSessionId(randomBytes);
  const secret = newSecret(randomBytes);
  database.run(
    `DELETE FROM session WHERE id IN (
       SELECT id FROM session WHERE account_id = :accountId ORDER BY used_ms DESC, id LIMIT -1 OFFSET :others)`,
    { accountId, others: maxPerAccount - 1 },
  );
  database.run(
    `INSERT INTO session(id, account_id, token_hash, way, agent, address_group, created_ms, used_ms, rotated_ms, expires_ms)
     VALUES(:id, :accountId, :tokenHash, :way, :agent, :addressGroup, :nowMs, :nowMs, :nowMs, :expiresMs)`,
    {
      id,
      accountId,
      tokenHash: Buffer.from(hashOfSecret(secret), "base64"),
      way,
      agent,
      addressGroup,
      nowMs,
      expiresMs: nowMs + maxAgeMs,
    },
  );
  return { id, token: printSessionToken({ id, secret }) };
}
