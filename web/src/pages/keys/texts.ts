import type {
  KeyLimitsResponse,
  KeyListingResponse,
  KeysResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { coarseDuration } from "../../components/time.tsx";

export function isLive({ state }: KeyListingResponse): boolean {
  return state === "active" || state === "expiring";
}

/** Keys that count towards the limit. A rotated key and its successor count as one. */
export function countStoredKeys(keys: readonly KeyListingResponse[]): number {
  const liveKeys = keys.filter(isLive);
  return liveKeys.filter(({ successor_id: id }) => liveKeys.every((other) => other.id !== id))
    .length;
}

/** Rotated keys that are still valid, and are revoked with their successor. */
export function findPredecessors(
  { id }: Pick<KeyListingResponse, "id">,
  keys: readonly KeyListingResponse[],
): readonly KeyListingResponse[] {
  return keys.filter((key) => key.successor_id === id && isLive(key));
}

/** "3 per second, 10 searches per minute". */
export function limitsText(limits: KeyLimitsResponse, account: KeyLimitsResponse): string {
  const requests = limits.requests_per_second ?? account.requests_per_second;
  const searches = limits.submissions_per_minute ?? account.submissions_per_minute;
  const parts = [
    requests === null ? null : `${requests} per second`,
    searches === null ? null : `${searches} ${searches === 1 ? "search" : "searches"} per minute`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? "No limits" : parts.join(", ");
}

/** "8 searches left this minute"; null if none are used or counted. */
export function remainingText(key: KeyListingResponse, account: KeyLimitsResponse): string | null {
  const max = key.submissions_per_minute ?? account.submissions_per_minute;
  if (key.left === null || max === null || key.left.submissions >= max) return null;
  const remaining = key.left.submissions;
  return `${remaining === 0 ? "no" : remaining} ${remaining === 1 ? "search" : "searches"} left this minute`;
}

const numerals = [
  "no",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
];

export function inWords(count: number): string {
  return numerals[count] ?? String(count);
}

/** "4 of 5 keys" */
export function countText({ keys, max_keys: maxKeys }: KeysResponse): string {
  return `${countStoredKeys(keys)} of ${maxKeys} ${maxKeys === 1 ? "key" : "keys"}`;
}

export function keyEndText({ state, successor_id: successorId }: KeyListingResponse): string {
  if (state === "revoked") return "Revoked";
  return successorId === null ? "Expired" : "Rotated";
}

export function overlapText(endsAt: string | null, nowMs: number): string {
  if (endsAt === null) return "Rotated";
  const ms = Date.parse(endsAt) - nowMs;
  return ms <= 0 ? "Rotated, expired" : `Rotated, expires in ${coarseDuration(ms)}`;
}
