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
  parseMethods,
  type StoredKey,
} from "./key.ts";
import { keyColumns } from "./read-keys.ts";

export type KeyEndRequest = { id: string; actor: Exclude<Actor, "service">; nowMs: number };

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
      const { id, actor, overlapMs, newPerDay, nowMs } = request;
      const key = yield* findKey(database, request);
      const { accountId } = key;
      refuseEnded(key, keyState(key, nowMs));
      if (actor !== "command_line")
        yield* refuseTooManyNewKeys(database, accountId, { newPerDay, nowMs });
      const createdKey = yield* insertKey(database, keySuccessor(key, nowMs), actor, randomBytes);
      yield* database.run(
        `UPDATE api_key SET successor_id = :successorId, expires_ms = min(coalesce(expires_ms, :endMs), :endMs)
         WHERE id = :id`,
        { id, successorId: createdKey.id, endMs: nowMs + overlapMs },
      );
      yield* database.run(
        "UPDATE api_key SET expires_ms = :nowMs WHERE account_id = :accountId AND successor_id = :id AND expires_ms > :nowMs",
        { accountId, id, nowMs },
      );
      yield* writeAuditEntry(database, {
        atMs: nowMs,
        action: "key_rotated",
        actor,
        accountId,
        keyId: id,
        detail: { overlap_hours: overlapMs / hourMs },
      });
      return createdKey;
    }),

    /** Idempotent. Also revokes a predecessor that is still valid. Errors: `key_not_found`. */
    revokeKey: durable(function* (database, request: KeyEndRequest): Steps<null> {
      const { id: revokedId, actor, nowMs } = request;
      const key = yield* findKey(database, request);
      const { accountId } = key;
      const predecessors = yield* database.all<{ id: string }>(
        `SELECT id FROM api_key WHERE account_id = :accountId AND successor_id = :revokedId AND ${isLiveSql}`,
        { accountId, revokedId, nowMs },
      );
      const keysToRevoke = isLive(keyState(key, nowMs)) ? [key, ...predecessors] : predecessors;
      for (const { id } of keysToRevoke) {
        yield* database.run("UPDATE api_key SET revoked = 1, revoked_ms = :nowMs WHERE id = :id", {
          id,
          nowMs,
        });
        const entry = { atMs: nowMs, action: "key_revoked" as const, actor };
        yield* writeAuditEntry(database, { ...entry, accountId, keyId: id });
      }
      return null;
    }),
  };
}

function* findKey(database: Database, { id, actor }: KeyEndRequest): Steps<KeyRow> {
  const key = yield* database.get<KeyRow>(
    `SELECT ${keyColumns}, requests_per_second AS overrideRequests, submissions_per_minute AS overrideSubmissions,
       owner_requests_per_second AS ownerRequests, owner_submissions_per_minute AS ownerSubmissions
     FROM api_key WHERE id = :id`,
    { id },
  );
  if (key === undefined) throw keyNotFound(id, actor);
  if (actor !== "command_line" && key.accountId !== actor.accountId) throw keyNotFound(id, actor);
  return key;
}

function keySuccessor(key: KeyRow, nowMs: number) {
  const { accountId, name, methods, expiresMs } = key;
  return {
    accountId,
    name,
    methods: parseMethods(methods),
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
