import type {
  KeyListingResponse,
  KeysResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { fromNow } from "../../components/time.tsx";
import { isolateBidi } from "../../isolate-bidi.ts";

const expiryWarningMs = 14 * 86_400_000;
/** Share of the searches per minute. */
const lowShare = 0.1;

/** Keys that soon stop working or are about to reach their limit. */
export function keyAlerts({ keys, limits }: KeysResponse, nowMs: number): readonly string[] {
  const activeKeys = keys.filter(({ state }) => state === "active");
  return activeKeys.flatMap((key) => [...expiryAlerts(key, nowMs), ...limitAlerts(key, limits)]);
}

function expiryAlerts(
  { name, expires_at: expiresAt }: KeyListingResponse,
  nowMs: number,
): string[] {
  if (expiresAt === null || Date.parse(expiresAt) - nowMs > expiryWarningMs) return [];
  return [
    `${isolateBidi(name)} expires ${fromNow(expiresAt, nowMs)}. Rotate it, or change its expiry.`,
  ];
}

function limitAlerts(key: KeyListingResponse, limits: KeysResponse["limits"]): string[] {
  const max = key.submissions_per_minute ?? limits.submissions_per_minute;
  if (max === null || key.left === null || key.left.submissions > lowShare * max) return [];
  return [
    `${isolateBidi(key.name)} has ${key.left.submissions} of ${max} searches left this minute.`,
  ];
}
