import type { KeyLimits, KeyListing, KeysAnswer } from "../../../../src/http/dashboard/contract.ts";
import { lengthOf } from "../../components/time.tsx";

/** A key that is answered: the others are over. */
export function isLive({ state }: KeyListing): boolean {
  return state === "active" || state === "expiring";
}

/** How many of the keys count against what an account may hold: one whose place a key took that is good does not. */
export function heldKeys(keys: readonly KeyListing[]): number {
  const live = keys.filter(isLive);
  return live.filter(({ successor_id: id }) => live.every((other) => other.id !== id)).length;
}

/** The keys that a key took the place of and that are still good: they end when it is revoked. */
export function predecessorsOf(
  { id }: Pick<KeyListing, "id">,
  keys: readonly KeyListing[],
): readonly KeyListing[] {
  return keys.filter((key) => key.successor_id === id && isLive(key));
}

/** "3 a second, 10 searches a minute": a key's own rates, else the account's. */
export function limitsText(own: KeyLimits, account: KeyLimits): string {
  const requests = own.requests_per_second ?? account.requests_per_second;
  const searches = own.submissions_per_minute ?? account.submissions_per_minute;
  const told = [
    requests === null ? null : `${requests} per second`,
    searches === null ? null : `${searches} ${searches === 1 ? "search" : "searches"} per minute`,
  ].filter((part) => part !== null);
  return told.length === 0 ? "No limits" : told.join(", ");
}

/** "8 searches left this minute": of a key that has used some; null where it has all, or none are counted. */
export function leftText(key: KeyListing, account: KeyLimits): string | null {
  const most = key.submissions_per_minute ?? account.submissions_per_minute;
  if (key.left === null || most === null || key.left.submissions >= most) return null;
  const left = key.left.submissions;
  return `${left === 0 ? "no" : left} ${left === 1 ? "search" : "searches"} left this minute`;
}

const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** Small numbers in words. */
export function inWords(count: number): string {
  return words[count] ?? String(count);
}

/** "4 of 5 keys." */
export function countText({ keys, max_keys: maxKeys }: KeysAnswer): string {
  return `${heldKeys(keys)} of ${maxKeys} ${maxKeys === 1 ? "key" : "keys"}`;
}

/** How a key that is over came to be so. */
export function endText({ state, successor_id: successorId }: KeyListing): string {
  if (state === "revoked") return "Revoked";
  return successorId === null ? "Expired" : "Rotated";
}

/** How long a key that was rotated is still good. */
export function overlapText(endsAt: string | null, nowMs: number): string {
  if (endsAt === null) return "Rotated";
  const ms = Date.parse(endsAt) - nowMs;
  return ms <= 0 ? "Rotated, ended" : `Rotated, ends in ${lengthOf(ms)}`;
}
