import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** Tokens are derived from the session, so none is stored. */
export type CsrfTokens = {
  of(sessionId: string): string;
  isOf(sessionId: string, token: string): boolean;
};

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
