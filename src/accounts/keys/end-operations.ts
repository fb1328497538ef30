import { durable } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { type Actor, writeAuditEntry } from "../audit.ts";
import { keyEnded, keyNotFound } from "./errors.ts";
import { insertKey, refuseTooManyNewKeys } from "./insert-key.ts";
import {
  type CreatedKey,
  isLive,
  isLiveSql,
  type KeyState,
  keyState,
  type StoredKey,
  storedMethods,
} from "./key.ts";
import { keyColumns } from "./read-keys.ts";

export type KeyEndRequest = { id: string; by: Exclude<Actor, "service">; nowMs: number };

export type KeyRotationRequest = KeyEndRequest & {
  overlapMs: number;
  newPerDay: number;
};

const hourMs = 3_600_000;

type KeyRow = Omit<StoredKey, "methods"> & {
  methods: string | null;
  overrideRequests: number | null;
  overrideSubmissions: number | null;
  ownerRequests: number | null;
  ownerSubmissions: number | null;
};

export function keyEndOperations(randomBytes: RandomBytes) {
  return {
    /**
     * At most two keys of a chain are valid: an earlier predecessor expires immediately. Errors:
     * `key_not_found`, `key_ended`, `too_many_keys`.
     */
    rotateKey: durable(function* (database, request: KeyRotationRequest): Steps<CreatedKey> {
      const { id, by, overlapMs, newPerDay, nowMs } = request;
      const key = yield* findKey(database, request);
      const { accountId } = key;
      refuseEnded(key, keyState(key, nowMs));
      if (by !== "command_line")
        yield* refuseTooManyNewKeys(database, accountId, { newPerDay, nowMs });
      const created = yield* insertKey(database, keySuccessor(key, nowMs), by, randomBytes);
      yield* database.run(
        `UPDATE api_key SET successor_id = :successorId, expires_ms = min(coalesce(expires_ms, :endMs), :endMs)
         WHERE id = :id`,
        { id, successorId: created.id, endMs: nowMs + overlapMs },
      );
      yield* database.run(
        "UPDATE api_key SET expires_ms = :nowMs WHERE account_id = :accountId AND successor_id = :id AND expires_ms > :nowMs",
        { accountId, id, nowMs },
      );
      yield* writeAuditEntry(database, {
        atMs: nowMs,
        action: "key_rotated",
        actor: by,
        accountId,
        keyId: id,
        detail: { overlap_hours: overlapMs / hourMs },
      });
      return created;
    }),

    /** Idempotent. Also revokes a predecessor that is still valid. Errors: `key_not_found`. */
    revokeKey: durable(function* (database, request: KeyEndRequest): Steps<null> {
      const { id: revokedId, by, nowMs } = request;
      const key = yield* findKey(database, request);
      const { accountId } = key;
      const before = yield* database.all<{ id: string }>(
        `SELECT id FROM api_key WHERE account_id = :accountId AND successor_id = :revokedId AND ${isLiveSql}`,
        { accountId, revokedId, nowMs },
      );
      const ended = isLive(keyState(key, nowMs)) ? [key, ...before] : before;
      for (const { id } of ended) {
        yield* database.run("UPDATE api_key SET revoked = 1, revoked_ms = :nowMs WHERE id = :id", {
          id,
          nowMs,
        });
        const entry = { atMs: nowMs, action: "key_revoked" as const, actor: by };
        yield* writeAuditEntry(database, { ...entry, accountId, keyId: id });
      }
      return null;
    }),
  };
}

function* findKey(database: Database, { id, by }: KeyEndRequest): Steps<KeyRow> {
  const key = yield* database.get<KeyRow>(
    `SELECT ${keyColumns}, requests_per_second AS overrideRequests, submissions_per_minute AS overrideSubmissions,
       owner_requests_per_second AS ownerRequests, owner_submissions_per_minute AS ownerSubmissions
     FROM api_key WHERE id = :id`,
    { id },
  );
  if (key === undefined) throw keyNotFound(id, by);
  if (by !== "command_line" && key.accountId !== by.accountId) throw keyNotFound(id, by);
  return key;
}

function keySuccessor(key: KeyRow, nowMs: number) {
  const { accountId, name, methods, expiresMs } = key;
  return {
    accountId,
    name,
    methods: storedMethods(methods),
    override: {
      requestsPerSecond: key.overrideRequests,
      submissionsPerMinute: key.overrideSubmissions,
    },
    ownerCaps: {
      requestsPerSecond: key.ownerRequests,
      submissionsPerMinute: key.ownerSubmissions,
    },
    expiresMs,
    nowMs,
  };
}

function refuseEnded({ successorId }: KeyRow, state: KeyState): void {
  if (state === "active") return;
  throw state === "expiring"
    ? keyEnded("the key has already been rotated", `rotate its successor ${successorId}`)
    : keyEnded(`the key is ${state}`, "create another");
}
