import { durable } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";

/** The state of a pending sign-in is in the browser's cookie. */
export const attemptOperations = {
  /** False if the sign-in was already finished. */
  finishSignIn: durable(function* (
    database,
    { hash, expiresMs }: { hash: string; expiresMs: number },
  ): Steps<boolean> {
    return (
      (yield* database.run(
        "INSERT INTO sign_in_attempt(hash, expires_ms) VALUES(:hash, :expiresMs) ON CONFLICT DO NOTHING",
        { hash: Buffer.from(hash, "base64"), expiresMs },
      )) === 1
    );
  }),
};
