import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { Method } from "../../platforms/methods.ts";
import { writeAuditEntry } from "../audit.ts";
import { firstKeyShown, invalidField, keyEnded, keyNotFound } from "./errors.ts";
import { insertKey, refuseTooManyKeys, refuseTooManyNewKeys } from "./insert-key.ts";
import {
  type DeploymentLimits,
  formatMethods,
  type KeyLimits,
  keyState,
  normalizeKeyName,
} from "./key.ts";
import { type OwnKey, ownKey, ownKeyList } from "./read-keys.ts";
import { highestOwnerRates, refuseRaisedRates, refuseWidenedKey } from "./refuse-widened.ts";

export type Owner = { accountId: string; limits: DeploymentLimits; nowMs: number };

export type KeyChoice = KeyLimits & {
  name: string;
  methods: readonly Method[] | null;
  expiresMs: number | null;
};

export type CreatedOwnKey = { key: OwnKey; token: string };

export type NewOwnKey = Owner & KeyChoice & { maxKeys: number; newPerDay: number };
export type KeyChanges = Owner & { id: string; changes: Partial<KeyChoice> };

export function ownKeyOperations(randomBytes: RandomBytes) {
  function* create(database: Database, owner: Owner, choice: KeyChoice): Steps<CreatedOwnKey> {
    const { accountId, limits, nowMs } = owner;
    const { name, methods, expiresMs, requestsPerSecond, submissionsPerMinute } = choice;
    const ownerCaps = { requestsPerSecond, submissionsPerMinute };
    const row = { accountId, name, methods, override: noLimits, ownerCaps, expiresMs, nowMs };
    const { id, token } = yield* insertKey(database, row, { accountId }, randomBytes);
    return { key: yield* requireOwnKey(database, { accountId, id, limits }), token };
  }

  return {
    /** Errors: `invalid_request`, `too_many_keys`. */
    createOwnKey: durable(function* (database, request: NewOwnKey): Steps<CreatedOwnKey> {
      const { accountId, limits, maxKeys, newPerDay, nowMs } = request;
      const name = normalizeKeyName(request.name);
      refuseRaisedRates(
        request,
        yield* highestOwnerRates(database, { accountId, id: null, limits }),
      );
      refusePast(request.expiresMs, nowMs);
      yield* refuseTooManyKeys(database, accountId, { maxKeys, actor: { accountId }, nowMs });
      yield* refuseTooManyNewKeys(database, accountId, { newPerDay, nowMs });
      return yield* create(database, request, { ...request, name });
    }),

    /** Succeeds only once per account. Errors: `first_key_shown`, `too_many_keys`. */
    issueFirstKey: durable(function* (
      database,
      request: Owner & { maxKeys: number },
    ): Steps<CreatedOwnKey> {
      const { accountId, maxKeys, nowMs } = request;
      const accountWithoutKey = yield* database.get(
        "SELECT 1 FROM account WHERE id = :accountId AND first_key_ms IS NULL",
        { accountId },
      );
      if (accountWithoutKey === undefined) throw firstKeyShown();
      yield* refuseTooManyKeys(database, accountId, { maxKeys, actor: { accountId }, nowMs });
      return yield* create(database, request, {
        ...noLimits,
        name: "default",
        methods: null,
        expiresMs: null,
      });
    }),

    /** Errors: `key_not_found`, `key_ended`, `invalid_request`. */
    changeKey: durable(function* (database, { id, changes, ...owner }: KeyChanges): Steps<OwnKey> {
      const { accountId, limits, nowMs } = owner;
      const key = yield* requireOwnKey(database, { accountId, id, limits });
      refuseEnded(key, nowMs);
      refuseRaisedRates(changes, yield* highestOwnerRates(database, { accountId, id, limits }));
      if (changes.expiresMs !== undefined) refusePast(changes.expiresMs, nowMs);
      yield* refuseWidenedKey(database, key, { changes, limits });
      const columns = makeColumns(changes);
      const names = Object.keys(columns);
      if (names.length === 0) return key;
      yield* database.run(
        `UPDATE api_key SET ${names.map((name) => `${name} = :${name}`).join(", ")} WHERE id = :id`,
        { ...columns, id },
      );
      yield* writeAuditEntry(database, {
        atMs: nowMs,
        action: "key_changed",
        actor: { accountId },
        accountId,
        keyId: id,
        detail: auditDetail(changes),
      });
      return yield* requireOwnKey(database, { accountId, id, limits });
    }),

    listOwnKeys: read(function* (
      database,
      request: Omit<Owner, "nowMs"> & { endedSinceMs: number },
    ): Steps<OwnKey[]> {
      return yield* ownKeyList(database, request);
    }),

    findOwnKey: read(function* (
      database,
      request: Omit<Owner, "nowMs"> & { id: string },
    ): Steps<OwnKey | null> {
      return yield* ownKey(database, request);
    }),

    accountLimits: read(function* (
      database,
      { accountId, limits }: Omit<Owner, "nowMs">,
    ): Steps<DeploymentLimits> {
      return yield* highestOwnerRates(database, { accountId, id: null, limits });
    }),
  };
}

const noLimits: KeyLimits = { requestsPerSecond: null, submissionsPerMinute: null };

function* requireOwnKey(
  database: Database,
  request: { accountId: string; id: string; limits: DeploymentLimits },
): Steps<OwnKey> {
  const { accountId, id } = request;
  const key = yield* ownKey(database, request);
  if (key === null) throw keyNotFound(id, { accountId });
  return key;
}

/** A rotated key must not outlive its overlap. */
function refuseEnded(key: OwnKey, nowMs: number): void {
  const state = keyState(key, nowMs);
  if (state === "active") return;
  throw state === "expiring"
    ? keyEnded("the key has been rotated", `change its successor ${key.successorId}`)
    : keyEnded(`the key is ${state}`, "create another");
}

function refusePast(expiresMs: number | null, nowMs: number): void {
  if (expiresMs === null || expiresMs > nowMs) return;
  throw invalidField(
    "expires_at",
    "expected a time in the future",
    "send a later time, or null for no expiry",
  );
}

function makeColumns(changes: Partial<KeyChoice>): Record<string, string | number | null> {
  const { name, methods, expiresMs, requestsPerSecond, submissionsPerMinute } = changes;
  return {
    ...(name === undefined ? {} : { name: normalizeKeyName(name) }),
    ...(methods === undefined ? {} : { methods: formatMethods(methods) }),
    ...(expiresMs === undefined ? {} : { expires_ms: expiresMs }),
    ...(requestsPerSecond === undefined ? {} : { owner_requests_per_second: requestsPerSecond }),
    ...(submissionsPerMinute === undefined
      ? {}
      : { owner_submissions_per_minute: submissionsPerMinute }),
  };
}

/** The audit log omits names. */
function auditDetail(changes: Partial<KeyChoice>): Record<string, string | number | true | null> {
  const { name, methods, expiresMs, requestsPerSecond, submissionsPerMinute } = changes;
  return {
    ...(name === undefined ? {} : { renamed: true }),
    ...(methods === undefined ? {} : { methods: methods?.join(",") ?? null }),
    ...(expiresMs === undefined
      ? {}
      : { expires_at: expiresMs === null ? null : isoTime(expiresMs) }),
    ...(requestsPerSecond === undefined ? {} : { requests_per_second: requestsPerSecond }),
    ...(submissionsPerMinute === undefined ? {} : { submissions_per_minute: submissionsPerMinute }),
  };
}
