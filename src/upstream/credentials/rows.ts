import type { Store } from "../../db/operations.ts";
import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";
import type { Credential } from "../../platforms/credential.ts";
import type { Platform } from "../../posts/post.ts";
import type { CredentialOperations } from "./operations.ts";

/** `revision` counts changes to the secret. */
export type StoredCredential = {
  credential: Credential;
  revision: number;
  encryptedSecret: Uint8Array;
};

export type ListedCredential = Credential & {
  accountName: string | null;
};

type Row = Omit<ListedCredential, "quarantine" | "coolings"> & {
  revision: number;
  encryptedSecret: Uint8Array;
  quarantinedMs: number | null;
  quarantineReason: string | null;
};

const select = `SELECT credential.id, account_id AS accountId, account.name AS accountName, platform, kind, host, subject,
    subject_name AS subjectName, hint, credential.created_ms AS createdMs, used_ms AS usedMs, revision,
    sealed_secret AS encryptedSecret, quarantined_ms AS quarantinedMs, quarantine_reason AS quarantineReason
  FROM credential LEFT JOIN account ON account.id = account_id`;

export function* readCredential(database: Database, id: string): Steps<StoredCredential | null> {
  const row = yield* database.get<Row>(`${select} WHERE credential.id = :id`, { id });
  return row === undefined ? null : yield* toStoredCredential(database, row);
}

export const usableCredentialSql = `(account_id = :accountId OR account_id IS NULL) AND quarantined_ms IS NULL
  AND platform IN (SELECT value FROM json_each(:platforms))`;

export function* usableCredentials(
  database: Database,
  platforms: readonly Platform[],
  accountId: string,
): Steps<StoredCredential[]> {
  const rows = yield* database.all<Row>(
    `${select} WHERE ${usableCredentialSql}
       ORDER BY credential.created_ms, credential.id`,
    { platforms: JSON.stringify(platforms), accountId },
  );
  return yield* mapNonNull(rows, (row) => toStoredCredential(database, row));
}

/** Oldest first; a null `owner` lists all, a null `accountId` the deployment's. */
export function* listedCredentials(
  database: Database,
  owner: { accountId: string | null } | null,
): Steps<ListedCredential[]> {
  const condition = owner === null ? "TRUE" : "account_id IS :accountId";
  const rows = yield* database.all<Row>(
    `${select} WHERE ${condition} ORDER BY credential.created_ms, credential.id`,
    owner === null ? {} : { accountId: owner.accountId },
  );
  return yield* mapNonNull(rows, function* (row) {
    const { credential } = yield* toStoredCredential(database, row);
    return { ...credential, accountName: row.accountName };
  });
}

function* toStoredCredential(database: Database, row: Row): Steps<StoredCredential> {
  const { id, revision, encryptedSecret, quarantinedMs, quarantineReason } = row;
  const { accountId, platform, kind, host, subject, subjectName, hint, createdMs, usedMs } = row;
  const quarantine =
    quarantinedMs === null ? null : { sinceMs: quarantinedMs, reason: quarantineReason ?? "" };
  const coolings = yield* database.all<Credential["coolings"][number]>(
    `SELECT bucket, until_ms AS untilMs, reason FROM credential_cooling WHERE credential_id = :id ORDER BY bucket`,
    { id },
  );
  const publicFields = { id, accountId, platform, kind, host, subject, subjectName, hint };
  return {
    credential: { ...publicFields, createdMs, usedMs, quarantine, coolings },
    revision,
    encryptedSecret,
  };
}

export type ReadUsableCredentials = (
  platform: Platform,
  accountId: string,
) => Promise<readonly StoredCredential[]>;

type Batch = {
  platforms: Set<Platform>;
  rows: Promise<readonly StoredCredential[]>;
};

/** Batches concurrent reads, because a job needs several platforms and access methods at once. */
export function createUsableCredentialReads(
  store: Pick<Store<CredentialOperations>, "read">,
): ReadUsableCredentials {
  const openBatches = new Map<string, Batch>();

  function startBatch(accountId: string): Batch {
    const platforms = new Set<Platform>();
    const rows = Promise.resolve().then(() => {
      openBatches.delete(accountId);
      return store.read("usableCredentials", { accountId, platforms: [...platforms] });
    });
    const batch = { platforms, rows };
    openBatches.set(accountId, batch);
    return batch;
  }

  return async (platform, accountId) => {
    const { platforms, rows } = openBatches.get(accountId) ?? startBatch(accountId);
    platforms.add(platform);
    return (await rows).filter(({ credential }) => credential.platform === platform);
  };
}
