import type {
  KeyListingResponse,
  KeysResponse,
} from "../../../../src/http/dashboard/contract/keys.ts";
import { fromNow } from "../../components/time.tsx";
import { isolated } from "../../isolated.ts";

const soonMs = 14 * 86_400_000;
/** Share of the searches per minute. */
const fewShare = 0.1;

/** Keys that soon stop working or are about to reach their limit. */
export function keyAlerts({ keys, limits }: KeysResponse, nowMs: number): readonly string[] {
  const active = keys.filter(({ state }) => state === "active");
  return active.flatMap((key) => [...expiryAlerts(key, nowMs), ...limitAlerts(key, limits)]);
}

function expiryAlerts(
  { name, expires_at: expiresAt }: KeyListingResponse,
  nowMs: number,
): string[] {
  if (expiresAt === null || Date.parse(expiresAt) - nowMs > soonMs) return [];
  return [
    `${isolated(name)} expires ${fromNow(expiresAt, nowMs)}. Rotate it, or change its expiry.`,
  ];
}

function limitAlerts(key: KeyListingResponse, limits: KeysResponse["limits"]): string[] {
  const max = key.submissions_per_minute ?? limits.submissions_per_minute;
  if (max === null || key.left === null || key.left.submissions > fewShare * max) return [];
  return [`${isolated(key.name)} has ${key.left.submissions} of ${max} searches left this minute.`];
}
