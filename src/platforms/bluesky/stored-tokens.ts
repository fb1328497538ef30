import type { Secrets } from "../credential.ts";
import { fieldsOf } from "../fields.ts";

/** Two tokens as they are kept: one that is sent, and one that makes the next two. `lapseMs` is empty when nobody told. */
export type StoredTokens = { accessToken: string; refreshToken: string; lapseMs: string };

const longestToken = 16_384;
/** A token that lapses on its way is as good as none. */
const mostAheadMs = 30_000;

/**
 * Tokens that were just received, with the time from which on the first is not worth sending, by the local clock: two clocks need
 * not agree. `lifeMs` is how long it holds; null when its host did not tell, and then its refusal does.
 */
export function storedTokens(
  tokens: { accessToken: string; refreshToken: string },
  lifeMs: number | null,
  receivedMs: number,
): StoredTokens {
  const { accessToken, refreshToken } = tokens;
  const lapseMs = lifeMs === null ? null : receivedMs + lifeMs - Math.min(mostAheadMs, lifeMs / 10);
  return { accessToken, refreshToken, lapseMs: String(lapseMs ?? "") };
}

/** Whether there is a token that is worth sending. */
export const isUsable = ({ accessToken = "", lapseMs = "" }: Secrets, nowMs: number): boolean =>
  accessToken !== "" && (lapseMs === "" || nowMs < Number(lapseMs));

/**
 * From `iat` to `exp` of a JSON Web Token, in milliseconds; null when it does not tell. Nothing is proven by that, and nothing but
 * a needless request saved.
 */
export function lifeMs(token: string): number | null {
  const payload = token.split(".", 3)[1];
  if (payload === undefined || token.length > longestToken) return null;
  try {
    const { iat, exp } = fieldsOf(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
    if (typeof iat !== "number" || typeof exp !== "number") return null;
    const seconds = exp - iat;
    return seconds > 0 && Number.isFinite(seconds) ? seconds * 1_000 : null;
  } catch {
    return null;
  }
}
