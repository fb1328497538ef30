import { durable, relaxed } from "../../db/operations.ts";
import type { ProviderName } from "./provider.ts";

type Attempt = { provider: ProviderName; returnTo: string };

/** Sign-ins under way. */
export const attemptOperations = {
  /** Notes a sign-in under way; beyond `maxAttempts` the one that ends first is forgotten. */
  beginSignIn: relaxed(
    (
      database,
      asked: Attempt & { hash: string; nowMs: number; expiresMs: number; maxAttempts: number },
    ): null => {
      const { hash, provider, returnTo, nowMs, expiresMs, maxAttempts } = asked;
      database.run("DELETE FROM sign_in_attempt WHERE expires_ms <= :nowMs", { nowMs });
      database.run(
        `DELETE FROM sign_in_attempt WHERE hash IN (
           SELECT hash FROM sign_in_attempt ORDER BY expires_ms DESC LIMIT -1 OFFSET :others)`,
        { others: maxAttempts - 1 },
      );
      database.run(
        "INSERT INTO sign_in_attempt(hash, provider, return_to, expires_ms) VALUES(:hash, :provider, :returnTo, :expiresMs)",
        { hash: Buffer.from(hash, "base64"), provider, returnTo, expiresMs },
      );
      return null;
    },
  ),

  /** The sign-in under way, which this ends; null when there is none of that secret and provider, or its time is over. */
  takeSignIn: durable(
    (database, asked: { hash: string; provider: ProviderName; nowMs: number }): Attempt | null => {
      const { hash, provider, nowMs } = asked;
      const taken = database.get<{ returnTo: string; expiresMs: number }>(
        `DELETE FROM sign_in_attempt WHERE hash = :hash AND provider = :provider
         RETURNING return_to AS returnTo, expires_ms AS expiresMs`,
        { hash: Buffer.from(hash, "base64"), provider },
      );
      if (taken === undefined || taken.expiresMs <= nowMs) return null;
      return { provider, returnTo: taken.returnTo };
    },
  ),
};
