import type { Database } from "../db/open.ts";
import { durable, read } from "../db/operations.ts";
import { type RandomBytes, randomBase62 } from "../lib/base62.ts";
import { EarshotError } from "../lib/errors.ts";
import { hashSecret, newApiKey, printApiKey } from "./api-key.ts";
import { newAuditId } from "./audit.ts";

/**
 * Accounts own jobs and cursors; keys belong to accounts and carry the limits. A key that is made without naming an account
 * gets one of its own.
 */
export type NewKey = {
  name: string;
  accountName: string | null;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
  nowMs: number;
};

export type CreatedKey = {
  id: string;
  accountId: string;
  /** The whole key: the only time it is told. */
  token: string;
};

export type KeyListing = {
  id: string;
  name: string;
  accountId: string;
  accountName: string | null;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
  createdMs: number;
  revoked: boolean;
};

/** Keys of one account that are not revoked. */
const maxKeysPerAccount = 5;

const accountIdLength = 12;

export type AccountOperations = ReturnType<typeof accountOperations>;

export function accountOperations(randomBytes: RandomBytes) {
  function accountOf(database: Database, { accountName, nowMs }: NewKey): string {
    const held = database.get<{ id: string }>("SELECT id FROM account WHERE name = :accountName", {
      accountName,
    });
    if (held !== undefined) return held.id;
    const id = randomBase62(accountIdLength, randomBytes);
    database.run(
      "INSERT INTO account(id, name, audit_id, created_ms) VALUES(:id, :accountName, :auditId, :nowMs)",
      { id, accountName, auditId: newAuditId(randomBytes), nowMs },
    );
    return id;
  }

  return {
    /** Makes a key. Errors: `too_many_keys`. */
    createKey: durable((database, asked: NewKey): CreatedKey => {
      const accountId = accountOf(database, asked);
      if (liveKeys(database, accountId) >= maxKeysPerAccount) throw tooManyKeys(asked);
      const key = newApiKey(randomBytes);
      database.run(
        `INSERT INTO api_key(id, account_id, name, secret_hash, audit_id, requests_per_second, submissions_per_minute,
           created_ms)
         VALUES(:id, :accountId, :name, :secretHash, :auditId, :requestsPerSecond, :submissionsPerMinute, :nowMs)`,
        {
          id: key.id,
          accountId,
          name: asked.name,
          secretHash: hashSecret(key.secret),
          auditId: newAuditId(randomBytes),
          requestsPerSecond: asked.requestsPerSecond,
          submissionsPerMinute: asked.submissionsPerMinute,
          nowMs: asked.nowMs,
        },
      );
      return { id: key.id, accountId, token: printApiKey(key) };
    }),

    /** Ends a key for good; one that is revoked already stays so. Errors: `unknown_key`. */
    revokeKey: durable((database, { id }: { id: string }): null => {
      const changed = database.run("UPDATE api_key SET revoked = 1 WHERE id = :id", { id });
      if (changed === 0) throw unknownKey(id);
      return null;
    }),

    /** All keys, revoked ones too, oldest first. */
    listKeys: read((database, _args: null): KeyListing[] =>
      database
        .all<Omit<KeyListing, "revoked"> & { revoked: number }>(
          `SELECT api_key.id, api_key.name, account_id AS accountId, account.name AS accountName,
                  requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute,
                  api_key.created_ms AS createdMs, revoked
           FROM api_key JOIN account ON account.id = account_id
           ORDER BY api_key.created_ms, api_key.id`,
        )
        .map((row) => ({ ...row, revoked: row.revoked === 1 })),
    ),
  };
}

function liveKeys(database: Database, accountId: string): number {
  const row = database.get<{ keys: number }>(
    "SELECT count(*) AS keys FROM api_key WHERE account_id = :accountId AND revoked = 0",
    { accountId },
  );
  return row?.keys ?? 0;
}

function tooManyKeys({ accountName }: NewKey): EarshotError {
  return new EarshotError(
    "too_many_keys",
    `the account ${JSON.stringify(accountName)} has ${maxKeysPerAccount} keys already`,
    { status: 409, hint: "revoke one with earshot keys revoke ID" },
  );
}

function unknownKey(id: string): EarshotError {
  return new EarshotError("unknown_key", `there is no key ${JSON.stringify(id)}`, {
    status: 404,
    hint: "earshot keys list shows all keys; the id is the part between the underscores",
  });
}
