import { timingSafeEqual } from "node:crypto";
import type { Database } from "../db/open.ts";

/** Whose key a request names, with the key's own limits; null is the deployment's. */
export type Caller = {
  keyId: string;
  accountId: string;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

/**
 * The caller of a key, given its id and the SHA-256 of its secret; null when the key is unknown, revoked or wrong. Each call
 * asks the database, so that a key revoked by another process is refused at once. An unknown id takes as long as a wrong
 * secret: a row stands in for it that no secret fits.
 */
export function authenticate(
  database: Database,
  id: string,
  secretHash: Uint8Array,
): Caller | null {
  const found = database.get<Caller & { secretHash: Uint8Array; isKnown: number }>(
    `SELECT coalesce(id, '00000000') AS keyId, coalesce(account_id, '000000000000') AS accountId,
            coalesce(secret_hash, zeroblob(32)) AS secretHash, id IS NOT NULL AS isKnown,
            requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute
     FROM (SELECT 1) LEFT JOIN api_key ON id = :id AND revoked = 0`,
    { id },
  );
  if (found === undefined) return null;
  const same = timingSafeEqual(secretHash, found.secretHash);
  if (!same || found.isKnown === 0) return null;
  const { keyId, accountId, requestsPerSecond, submissionsPerMinute } = found;
  return { keyId, accountId, requestsPerSecond, submissionsPerMinute };
}
