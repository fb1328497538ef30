import { durable } from "../../db/operations.ts";

/** Which sign-ins were finished. One under way has no row: it lies in the cookie of the browser that began it. */
export const attemptOperations = {
  /** Finishes a sign-in; false when it was finished before. It is remembered until its time would be over anyway. */
  finishSignIn: durable(
    (database, { hash, expiresMs }: { hash: string; expiresMs: number }): boolean =>
      database.run(
        "INSERT OR IGNORE INTO sign_in_attempt(hash, expires_ms) VALUES(:hash, :expiresMs)",
        { hash: Buffer.from(hash, "base64"), expiresMs },
      ) === 1,
  ),
};
