import { durable, read } from "../../db/operations.ts";
import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Method } from "../../platforms/methods.ts";
import { newAuditId, writeAuditEntry } from "../audit.ts";
import { formatMethods, parseMethods } from "../keys/key.ts";
import { hashSecret } from "../token-format.ts";
import { endGrant, isConnectedSql } from "./grant-rows.ts";
import { authorizationCode } from "./grant-tokens.ts";
import { tokenOperations } from "./token-operations.ts";

export type NewGrant = {
  accountId: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  resource: string;
  methods: readonly Method[];
  codeChallenge: string;
  codeMs: number;
  nowMs: number;
};

export type ConnectedApp = {
  id: string;
  clientId: string;
  clientName: string;
  methods: readonly Method[];
  createdMs: number;
  usedMs: number | null;
  usedFrom: string | null;
  expiresMs: number;
};

/** This includes ended grants. */
const maxGrantsPerAccount = 100;

/** The audit log and usage need the names of ended grants. */
const endedGrantRetentionMs = 30 * 86_400_000;

export function grantOperations(randomBytes: RandomBytes) {
  return {
    ...tokenOperations(randomBytes),

    /** Returns the authorization code. */
    createGrant: durable(function* (database, request: NewGrant): Steps<string> {
      const { accountId, clientId, clientName, redirectUri, resource } = request;
      const { methods, codeChallenge, codeMs, nowMs } = request;
      yield* makeRoom(database, accountId, nowMs);
      const code = authorizationCode.create(randomBytes);
      yield* database.run(
        `INSERT INTO oauth_grant(id, account_id, client_id, client_name, redirect_uri, resource, methods, code_hash,
           code_challenge, created_ms, expires_ms, audit_id)
         VALUES(:id, :accountId, :clientId, :clientName, :redirectUri, :resource, :methods, :codeHash,
           :codeChallenge, :nowMs, :expiresMs, :auditId)`,
        {
          id: code.id,
          ...{ accountId, clientId, clientName, redirectUri, resource, codeChallenge, nowMs },
          methods: formatMethods(methods),
          codeHash: hashSecret(code.secret),
          expiresMs: nowMs + codeMs,
          auditId: newAuditId(randomBytes),
        },
      );
      yield* writeAuditEntry(database, {
        atMs: nowMs,
        action: "app_connected",
        actor: { accountId },
        accountId,
        keyId: code.id,
        detail: { methods: methods.join(",") },
      });
      return authorizationCode.print(code);
    }),

    disconnectApp: durable(function* (
      database,
      { accountId, id, nowMs }: { accountId: string; id: string; nowMs: number },
    ): Steps<boolean> {
      const found = yield* database.get(
        "SELECT 1 FROM oauth_grant WHERE id = :id AND account_id = :accountId AND revoked_ms IS NULL",
        { id, accountId },
      );
      if (found === undefined) return false;
      yield* endGrant(database, { id, accountId }, { cause: "owner", nowMs });
      return true;
    }),

    listApps: read(function* (
      database,
      request: { accountId: string; nowMs: number },
    ): Steps<ConnectedApp[]> {
      const rows = yield* database.all<Omit<ConnectedApp, "methods"> & { methods: string }>(
        `SELECT id, client_id AS clientId, client_name AS clientName, methods, created_ms AS createdMs, used_ms AS usedMs,
           used_from AS usedFrom, expires_ms AS expiresMs
         FROM oauth_grant WHERE account_id = :accountId AND ${isConnectedSql} ORDER BY created_ms DESC, id`,
        request,
      );
      return rows.map((row) => ({ ...row, methods: parseMethods(row.methods) ?? [] }));
    }),
  };
}

/** Removes ended grants first, then the least recently used. */
function* makeRoom(database: Database, accountId: string, nowMs: number): Steps<void> {
  const surplusGrants = yield* database.all<{ id: string; isConnected: number }>(
    `SELECT id, CASE WHEN ${isConnectedSql} THEN 1 ELSE 0 END AS isConnected FROM oauth_grant
     WHERE account_id = :accountId ORDER BY 2 DESC, coalesce(used_ms, created_ms) DESC, id LIMIT 1000 OFFSET :others`,
    { accountId, nowMs, others: maxGrantsPerAccount - 1 },
  );
  yield* mapNonNull(surplusGrants, function* ({ id, isConnected }) {
    if (isConnected === 1)
      yield* endGrant(database, { id, accountId }, { cause: "too_many", nowMs });
    yield* database.run("DELETE FROM oauth_grant WHERE id = :id", { id });
    return null;
  });
}

export function* sweepGrants(database: Database, nowMs: number): Steps<void> {
  yield* database.run(
    `DELETE FROM oauth_grant WHERE (access_hash IS NULL AND expires_ms <= :nowMs) OR expires_ms <= :beforeMs
       OR revoked_ms <= :beforeMs`,
    { nowMs, beforeMs: nowMs - endedGrantRetentionMs },
  );
}
