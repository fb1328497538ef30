import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/**
 * The token that a page sends beside its cookie with whatever changes something. It belongs to the session, so that one of
 * another session does not do, and nothing is stored for it.
 */
export type CsrfTokens = {
  of(sessionId: string): string;
  isOf(sessionId: string, token: string): boolean;
};

/** Tokens of a server with this secret key (lib/secret-key.ts). */
export function createCsrfTokens(secretKey: Uint8Array): CsrfTokens {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "earshot csrf", 32));
  const digest = (sessionId: string) => createHmac("sha256", key).update(sessionId).digest();

  return {
    of: (sessionId) => digest(sessionId).toString("base64url"),
    isOf: (sessionId, token) => {
      const presented = Buffer.from(token, "base64url");
      const expected = digest(sessionId);
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}
