import { isLive, keyState } from "../../accounts/keys/key.ts";
import type { OwnKey } from "../../accounts/keys/read-keys.ts";
import { accountRates } from "../../accounts/limit-operations.ts";
import type { Limiter } from "../../accounts/limiter.ts";
import type { RatedKey } from "../../accounts/rates.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { KeyListingResponse } from "./contract/keys.ts";

export async function keyListings(
  limiter: Pick<Limiter, "fetchStates">,
  keys: readonly OwnKey[],
  nowMs: number,
): Promise<KeyListingResponse[]> {
  const liveKeys = keys.filter((key) => isLive(keyState(key, nowMs)));
  const states = liveKeys.length === 0 ? [] : await limiter.fetchStates(liveKeys.map(ratedKey));
  const limitStates = new Map(liveKeys.map(({ id }, index) => [id, states[index] ?? []]));
  return keys.map((key) => {
    const policies = limitStates.get(key.id);
    const getRemaining = (policy: string) =>
      policies?.find((state) => state.policy === policy)?.remaining ?? 0;
    return {
      id: key.id,
      name: key.name,
      shown: `ear_${key.id}_…`,
      state: keyState(key, nowMs),
      methods: key.methods,
      requests_per_second: key.ownLimits.requestsPerSecond,
      submissions_per_minute: key.ownLimits.submissionsPerMinute,
      created_at: isoTime(key.createdMs),
      expires_at: isoTimeOrNull(key.expiresMs),
      revoked_at: isoTimeOrNull(key.revokedMs),
      used_at: isoTimeOrNull(key.usedMs),
      used_from: key.usedFrom,
      successor_id: key.successorId,
      left:
        policies === undefined
          ? null
          : { requests: getRemaining("burst"), submissions: getRemaining("search") },
    };
  });
}

/** A rotated key shares the rate limits of its successor. */
function ratedKey(key: OwnKey): RatedKey {
  const { id, successorId, effectiveLimits } = key;
  return { keyId: successorId ?? id, ...effectiveLimits, account: accountRates(key) };
}

const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
