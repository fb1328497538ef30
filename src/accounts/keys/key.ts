import { type Method, methodNames } from "../../platforms/methods.ts";

/** Null: the account's apply. */
export type KeyLimits = {
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

export type StoredKey = {
  id: string;
  accountId: string;
  name: string;
  /** Null: all. */
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

/** SQL over `api_key`, at `:nowMs`. */
export const isLiveSql = liveKeySql("api_key");

export function liveKeySql(name: string): string {
  return `${name}.revoked = 0 AND (${name}.expires_ms IS NULL OR ${name}.expires_ms > :nowMs)`;
}

/** Drops methods that no longer exist. */
export function storedMethods(text: string | null): readonly Method[] | null {
  if (text === null) return null;
  const names: unknown = JSON.parse(text);
  return methodNames.filter((method) => Array.isArray(names) && names.includes(method));
}

export function methodsText(methods: readonly Method[] | null): string | null {
  return methods === null
    ? null
    : JSON.stringify(methodNames.filter((method) => methods.includes(method)));
}
