import { type Method, methodNames } from "../../platforms/methods.ts";

/** Null: as the account has it. */
export type KeyLimits = {
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

/** What is known of a key. Times are Unix milliseconds. */
export type StoredKey = {
  id: string;
  accountId: string;
  name: string;
  /** Null: all. */
  methods: readonly Method[] | null;
  createdMs: number;
  expiresMs: number | null;
  revokedMs: number | null;
  /** To within a minute. */
  usedMs: number | null;
  /** The network that it was last used from. */
  usedFrom: string | null;
  /** The key that took its place. */
  successorId: string | null;
};

/** `expiring`: another took its place, and it is still good for a while. */
export type KeyState = "active" | "expiring" | "expired" | "revoked";

export type CreatedKey = {
  id: string;
  accountId: string;
  /** The whole key: the only time it is told. */
  token: string;
};

export const keyDefaults = { maxPerAccount: 5, newPerDay: 20 };

/** How long a key that was rotated may stay good. */
export const longestOverlapHours = 168;

export function keyStateOf(
  key: Pick<StoredKey, "expiresMs" | "revokedMs" | "successorId">,
  nowMs: number,
): KeyState {
  if (key.revokedMs !== null) return "revoked";
  if (key.expiresMs !== null && key.expiresMs <= nowMs) return "expired";
  return key.successorId === null ? "active" : "expiring";
}

/** Whether requests with it are answered. */
export function isLive(state: KeyState): boolean {
  return state === "active" || state === "expiring";
}

/** The same as a condition of a row of `api_key`, at `:nowMs`. */
export const isLiveSql = livingSql("api_key");

/** As a condition of rows that go by another name. */
export function livingSql(name: string): string {
  return `${name}.revoked = 0 AND (${name}.expires_ms IS NULL OR ${name}.expires_ms > :nowMs)`;
}

/** The methods of a stored list; one that is not known any more allows nothing. */
export function storedMethods(text: string | null): readonly Method[] | null {
  if (text === null) return null;
  const names: unknown = JSON.parse(text);
  return methodNames.filter((method) => Array.isArray(names) && names.includes(method));
}

/** As `storedMethods` reads it, in the order of the table of methods. */
export function methodsText(methods: readonly Method[] | null): string | null {
  return methods === null
    ? null
    : JSON.stringify(methodNames.filter((method) => methods.includes(method)));
}
