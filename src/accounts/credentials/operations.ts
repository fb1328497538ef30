import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Platform } from "../../posts/post.ts";
import {
  credentialOperations,
  type StoredSecretCredential,
} from "../../upstream/credentials/operations.ts";
import {
  type Amounts,
  accountSpending,
  deploymentPostReads,
} from "../../upstream/requests/spending-rows.ts";
import { type Actor, writeAuditEntry } from "../audit.ts";

/** Null where there is no credential of that owner. */
export type MonthSpending = {
  own: Amounts | null;
  shared: Amounts | null;
  deploymentPostReads: number | null;
};

export const accountCredentialOperations = {
  /** Errors: `too_many_credentials`, `unknown_account`, `account_suspended`. */
  addCredential: durable(function* (
    database,
    { actor, ...credential }: StoredSecretCredential & { actor: Actor },
  ): Steps<null> {
    const { accountId, platform, kind, nowMs: atMs } = credential;
    yield* requireNotSuspended(database, accountId);
    const replaces = (yield* readOwner(database, credential.id)) !== null;
    yield* credentialOperations.putCredential.run(database, credential);
    const detail = { platform, kind, replaces };
    yield* writeAuditEntry(database, {
      atMs,
      action: "credential_added",
      actor,
      accountId,
      detail,
    });
    return null;
  }),

  monthSpending: read(function* (
    database,
    spender: { accountId: string; platform: Platform; month: string },
  ): Steps<MonthSpending> {
    const { accountId, platform, month } = spender;
    const credentials = yield* database.all<{ accountId: string | null }>(
      `SELECT DISTINCT account_id AS accountId FROM credential
       WHERE platform = :platform AND (account_id = :accountId OR account_id IS NULL)`,
      { accountId, platform },
    );
    const hasCredential = (owner: string | null) =>
      credentials.some((found) => found.accountId === owner);
    const own = hasCredential(accountId)
      ? yield* accountSpending(database, "account", spender)
      : null;
    if (!hasCredential(null)) return { own, shared: null, deploymentPostReads: null };
    return {
      own,
      shared: yield* accountSpending(database, "deployment", spender),
      deploymentPostReads: yield* deploymentPostReads(database, { month, platform }),
    };
  }),

  /** If `owner` is null, the owner does not matter. */
  dropCredential: durable(function* (
    database,
    { id, owner, actor, nowMs }: CredentialRemoval,
  ): Steps<boolean> {
    const found = yield* readOwner(database, id);
    if (found === null || (owner !== null && owner.accountId !== found.accountId)) return false;
    yield* credentialOperations.removeCredential.run(database, { id });
    const { accountId, ...detail } = found;
    yield* writeAuditEntry(database, {
      atMs: nowMs,
      action: "credential_removed",
      actor,
      accountId,
      detail,
    });
    return true;
  }),
};

type CredentialRemoval = {
  id: string;
  owner: { accountId: string | null } | null;
  actor: Actor;
  nowMs: number;
};

function* readOwner(database: Database, id: string) {
  const row = yield* database.get<{ accountId: string | null; platform: string; kind: string }>(
    "SELECT account_id AS accountId, platform, kind FROM credential WHERE id = :id",
    { id },
  );
  return row ?? null;
}

/** The account may be suspended during a dialogue. */
function* requireNotSuspended(database: Database, accountId: string | null): Steps<void> {
  const row = yield* database.get(
    "SELECT id FROM account WHERE id = :accountId AND suspended_ms IS NOT NULL",
    { accountId },
  );
  if (row === undefined) return;
  throw new EarshotError("account_suspended", "the account is suspended", { status: 403 });
}
