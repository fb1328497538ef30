import { EarshotError } from "../../lib/errors.ts";
import { type Method, methodNames } from "../../platforms/methods.ts";

/** Where a limit is null, the account's applies. */
export type KeyLimits = {
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

export type StoredKey = {
  id: string;
  accountId: string;
  name: string;
  /** Null means all methods. */
  methods: readonly Method[] | null;
  createdMs: number;
  expiresMs: number | null;
  revokedMs: number | null;
  usedMs: number | null;
  usedFrom: string | null;
  successorId: string | null;
};

/** `expiring`: rotated, but still valid during the overlap. */
export type KeyState = "active" | "expiring" | "expired" | "revoked";

export type CreatedKey = {
  id: string;
  accountId: string;
  token: string;
};

export const keyDefaults = { maxPerAccount: 5, newPerDay: 20 };

export const maxOverlapHours = 168;

export function keyState(
  key: Pick<StoredKey, "expiresMs" | "revokedMs" | "successorId">,
  nowMs: number,
): KeyState {
  if (key.revokedMs !== null) return "revoked";
  if (key.expiresMs !== null && key.expiresMs <= nowMs) return "expired";
  return key.successorId === null ? "active" : "expiring";
}

export function isLive(state: KeyState): boolean {
  return state === "active" || state === "expiring";
}

/** SQL condition on `api_key` at `:nowMs`. */
export const isLiveSql = liveKeySql("api_key");

export function liveKeySql(name: string): string {
  return `${name}.revoked = 0 AND (${name}.expires_ms IS NULL OR ${name}.expires_ms > :nowMs)`;
}

/** Drops methods that no longer exist. */
export function parseMethods(text: string | null): readonly Method[] | null {
  if (text === null) return null;
  const names: unknown = JSON.parse(text);
  return methodNames.filter((method) => Array.isArray(names) && names.includes(method));
}

export function formatMethods(methods: readonly Method[] | null): string | null {
  return methods === null
    ? null
    : JSON.stringify(methodNames.filter((method) => methods.includes(method)));
}

export type DeploymentLimits = { requestsPerSecond: number; submissionsPerMinute: number };

const noCap = Number.MAX_SAFE_INTEGER;

/**
 * The key's rates from the command line, else the account's, else the deployment's, capped by the
 * owner's.
 */
export const effectiveLimitsSql = `
  min(coalesce(api_key.requests_per_second, account.requests_per_second, :requestsPerSecond),
    coalesce(api_key.owner_requests_per_second, ${noCap})) AS requestsPerSecond,
  min(coalesce(api_key.submissions_per_minute, account.submissions_per_minute, :submissionsPerMinute),
    coalesce(api_key.owner_submissions_per_minute, ${noCap})) AS submissionsPerMinute`;

/** Null if the account has no limit, or if the command line gave the key its own. */
export const accountLimitsSql = `
  CASE WHEN api_key.requests_per_second IS NULL THEN account.requests_per_second END AS accountRequestsPerSecond,
  CASE WHEN api_key.submissions_per_minute IS NULL THEN account.submissions_per_minute END AS accountSubmissionsPerMinute`;

export const maxKeyNameLength = 60;

/** Allows U+200C and U+200D, which some scripts and emoji need. */
const invisible = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function isOneVisibleLine(text: string): boolean {
  return !invisible.test(text);
}

/** Returns the name trimmed and in NFC. Errors: `invalid_request`. */
export function normalizeKeyName(text: string): string {
  const name = text.trim().normalize("NFC");
  const isReadable = visible.test(name) && isOneVisibleLine(name);
  if (isReadable && [...name].length <= maxKeyNameLength) return name;
  const message = isReadable
    ? `the name has ${[...name].length} characters; the maximum is ${maxKeyNameLength}`
    : "the key name must be one line of visible characters";
  const hint = `send 1 to ${maxKeyNameLength} visible characters, such as "laptop"`;
  throw new EarshotError("invalid_request", message, {
    status: 400,
    hint,
    details: [{ code: "invalid_value", message, hint, pointer: "/name" }],
  });
}
