import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** Tokens are derived from the session, so none is stored. */
export type CsrfTokens = {
  tokenFor(sessionId: string): string;
  isValid(sessionId: string, token: string): boolean;
};

export function createCsrfTokens(secretKey: Uint8Array): CsrfTokens {
  const key = Buffer.from(hkdfSync("sha256", secretKey, "", "earshot csrf", 32));
  const digest = (sessionId: string) => createHmac("sha256", key).update(sessionId).digest();

  return {
    tokenFor: (sessionId) => digest(sessionId).toString("base64url"),
    isValid: (sessionId, token) => {
      const presentedDigest = Buffer.from(token, "base64url");
      const expected = digest(sessionId);
      return (
        presentedDigest.length === expected.length && timingSafeEqual(presentedDigest, expected)
      );
    },
  };
}
