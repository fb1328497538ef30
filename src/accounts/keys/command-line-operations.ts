import { containsPattern } from "../../db/like-pattern.ts";
import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Method } from "../../platforms/methods.ts";
import { accountNameSql, isNotDeletedSql } from "../admin/names.ts";
import { accountHint, findAccountId, hasLogin, unknownAccount } from "../admin/resolve-account.ts";
import { writeAuditEntry } from "../audit.ts";
import { insertAccount } from "../insert-account.ts";
import { insertKey, refuseTooManyKeys } from "./insert-key.ts";
import {
  type CreatedKey,
  isLiveSql,
  type KeyLimits,
  keyDefaults,
  normalizeKeyName,
  parseMethods,
  type StoredKey,
} from "./key.ts";
import { keyColumns } from "./read-keys.ts";

export type NewKey = KeyLimits & {
  name: string;
  /** An unknown name creates an account; null creates an unnamed one. */
  accountName: string | null;
  /** Absent means all methods. */
  methods?: readonly Method[] | null;
  /** Absent means never. */
  expiresMs?: number | null;
  maxKeys?: number;
  nowMs: number;
};

export type KeyListing = StoredKey & KeyLimits & { accountName: string | null; revoked: boolean };

export type FoundKey = StoredKey & { accountName: string };

export type KeyPageRequest = {
  query: string | null;
  accountId: string | null;
  after: { createdMs: number; id: string } | null;
  limit: number;
};

export function commandLineKeyOperations(randomBytes: RandomBytes) {
  function* findOrCreateAccount(database: Database, { accountName, nowMs }: NewKey): Steps<string> {
    const found = accountName === null ? null : yield* findAccountId(database, accountName);
    if (found !== null) return found;
    // A login must not become the name of a new account.
    if (
      accountName !== null &&
      (accountName.includes(":") || (yield* hasLogin(database, accountName)))
    )
      throw unknownAccount(accountName, yield* accountHint(database, accountName));
    const accountId = yield* insertAccount(database, { name: accountName, nowMs }, randomBytes);
    yield* writeAuditEntry(database, {
      atMs: nowMs,
      action: "account_created",
      actor: "command_line",
      accountId,
    });
    return accountId;
  }

  return {
    /** Errors: `invalid_request`, `too_many_keys`, `account_not_found` for a login, `ambiguous_account`. */
    createKey: durable(function* (database, request: NewKey): Steps<CreatedKey> {
      const { methods = null, expiresMs = null, maxKeys = keyDefaults.maxPerAccount } = request;
      const { requestsPerSecond, submissionsPerMinute, nowMs } = request;
      const name = normalizeKeyName(request.name);
      const accountId = yield* findOrCreateAccount(database, request);
      yield* refuseTooManyKeys(database, accountId, { maxKeys, actor: "command_line", nowMs });
      const limits = { requestsPerSecond, submissionsPerMinute };
      const key = {
        accountId,
        name,
        methods,
        override: limits,
        ownerCaps: noLimits,
        expiresMs,
        nowMs,
      };
      return yield* insertKey(database, key, "command_line", randomBytes);
    }),

    hasLiveKey: read(function* (database, { nowMs }: { nowMs: number }): Steps<boolean> {
      return (
        (yield* database.get(`SELECT 1 FROM api_key WHERE ${isLiveSql} LIMIT 1`, { nowMs })) !==
        undefined
      );
    }),

    /** Returns the keys whose name, ID or account contains the query, newest first. */
    findKeys: read(function* (
      database,
      { query, accountId, after, limit }: KeyPageRequest,
    ): Steps<FoundKey[]> {
      const pattern = query === null ? null : containsPattern(query);
      return (yield* database.all<Omit<FoundKey, "methods"> & { methods: string | null }>(
        `SELECT ${keyColumns}, ${accountNameSql} AS accountName
           FROM api_key JOIN account ON account.id = account_id
           WHERE ${isNotDeletedSql} AND (CAST(:pattern AS TEXT) IS NULL OR api_key.name LIKE :pattern ESCAPE '\\'
             OR api_key.id LIKE :pattern ESCAPE '\\' OR account.id LIKE :pattern ESCAPE '\\'
             OR ${accountNameSql} LIKE :pattern ESCAPE '\\')
             AND (CAST(:accountId AS TEXT) IS NULL OR account.id = :accountId)
             AND (api_key.created_ms, api_key.id) < (:afterMs, :afterId)
           ORDER BY api_key.created_ms DESC, api_key.id DESC LIMIT :limit`,
        {
          pattern,
          accountId,
          afterMs: after?.createdMs ?? Number.MAX_SAFE_INTEGER,
          afterId: after?.id ?? "",
          limit,
        },
      )).map((row) => ({ ...row, methods: parseMethods(row.methods) }));
    }),

    listKeys: read(function* (database, _args: null): Steps<KeyListing[]> {
      return (yield* database.all<
        Omit<KeyListing, "revoked" | "methods"> & { methods: string | null }
      >(
        `SELECT ${keyColumns}, account.name AS accountName, ${ownRatesSql}
           FROM api_key JOIN account ON account.id = account_id
           ORDER BY api_key.created_ms, api_key.id`,
      )).map((row) => ({
        ...row,
        methods: parseMethods(row.methods),
        revoked: row.revokedMs !== null,
      }));
    }),
  };
}

const noLimits: KeyLimits = { requestsPerSecond: null, submissionsPerMinute: null };

/** The key's own rates: the lower of the command line's and the owner's. */
const ownRatesSql = (["requests_per_second", "submissions_per_minute"] as const)
  .map((rate) => {
    const columns = `api_key.${rate}, owner_${rate}`;
    const name = rate === "requests_per_second" ? "requestsPerSecond" : "submissionsPerMinute";
    return `coalesce(min(${columns}), ${columns}) AS ${name}`;
  })
  .join(", ");
