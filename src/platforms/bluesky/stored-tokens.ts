import type { Secrets } from "../credential.ts";
import { asFields } from "../fields.ts";

/** `lapseMs`: when the access token must be renewed; empty if unknown. */
export type StoredTokens = { accessToken: string; refreshToken: string; lapseMs: string };

const maxTokenLength = 16_384;
/** A token that expires in transit is useless. */
const expiryMarginMs = 30_000;

/**
 * `lifetimeMs` counts from receipt, because the server's clock may differ. If null, the token is
 * used until it is rejected.
 */
export function storedTokens(
  tokens: { accessToken: string; refreshToken: string },
  lifetimeMs: number | null,
  receivedMs: number,
): StoredTokens {
  const { accessToken, refreshToken } = tokens;
  const lapseMs =
    lifetimeMs === null
      ? null
      : receivedMs + lifetimeMs - Math.min(expiryMarginMs, lifetimeMs / 10);
  return { accessToken, refreshToken, lapseMs: String(lapseMs ?? "") };
}

export const isUsable = ({ accessToken = "", lapseMs = "" }: Secrets, nowMs: number): boolean =>
  accessToken !== "" && (lapseMs === "" || nowMs < Number(lapseMs));

/** Reads a JSON Web Token without verifying it, because this only saves a needless request. */
export function lifetimeMs(token: string): number | null {
  const payload = token.split(".", 3)[1];
  if (payload === undefined || token.length > maxTokenLength) return null;
  try {
    const { iat, exp } = asFields(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
    if (typeof iat !== "number" || typeof exp !== "number") return null;
    const seconds = exp - iat;
    return seconds > 0 && Number.isFinite(seconds) ? seconds * 1_000 : null;
  } catch {
    return null;
  }
}
