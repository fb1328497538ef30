import type { Database, Steps } from "../../db/statements.ts";
import type { Platform } from "../../posts/post.ts";

/** The platform's units and millionths of a dollar. */
export type Amounts = { postReads: number; userReads: number; requests: number; microUsd: number };

/** `month` is in UTC, such as `2026-11`. */
export type Spender = {
  month: string;
  platform: Platform;
  credentialId: string;
  owner: "account" | "deployment";
  /** The account of the request, or null. */
  accountId: string | null;
};

/**
 * Use of the deployment's credentials also counts for the request's account. Corrections may be
 * negative. Ignores deleted credentials of accounts, and deleted accounts.
 */
export function* addUse(database: Database, spender: Spender, amounts: Amounts): Steps<void> {
  const { month, platform, credentialId, owner, accountId } = spender;
  const { postReads, userReads, requests, microUsd } = amounts;
  yield* database.run(
    `INSERT INTO upstream_use(month, platform, credential_id, owner, post_reads, user_reads, requests, micro_usd)
     SELECT :month, :platform, :credentialId, :owner, :postReads, :userReads, :requests, :microUsd
     WHERE :owner = 'deployment' OR EXISTS (SELECT 1 FROM credential WHERE id = :credentialId)
     ON CONFLICT(month, platform, credential_id) DO UPDATE SET
       post_reads = upstream_use.post_reads + excluded.post_reads,
       user_reads = upstream_use.user_reads + excluded.user_reads,
       requests = upstream_use.requests + excluded.requests,
       micro_usd = upstream_use.micro_usd + excluded.micro_usd`,
    { month, platform, credentialId, owner, postReads, userReads, requests, microUsd },
  );
  if (owner === "account" || accountId === null) return;
  yield* database.run(
    `INSERT INTO upstream_account_use(account_id, month, platform, post_reads, user_reads, requests, micro_usd)
     SELECT :accountId, :month, :platform, :postReads, :userReads, :requests, :microUsd WHERE ${accountExists}
     ON CONFLICT(account_id, month, platform) DO UPDATE SET
       post_reads = upstream_account_use.post_reads + excluded.post_reads,
       user_reads = upstream_account_use.user_reads + excluded.user_reads,
       requests = upstream_account_use.requests + excluded.requests,
       micro_usd = upstream_account_use.micro_usd + excluded.micro_usd`,
    { accountId, month, platform, postReads, userReads, requests, microUsd },
  );
}

const accountExists =
  "EXISTS (SELECT 1 FROM account WHERE id = :accountId AND ending IS NOT 'deleted')";

/** Returns its id. */
export function* addReservation(
  database: Database,
  reservation: Spender & Amounts & { jobUuid: string; attempt: number; nowMs: number },
): Steps<number> {
  const row = yield* database.get<{ id: number }>(
    `INSERT INTO upstream_reservation(job_uuid, attempt, month, platform, credential_id, owner, account_id, post_reads, user_reads,
       requests, micro_usd, made_ms)
     VALUES(:jobUuid, :attempt, :month, :platform, :credentialId, :owner, CASE WHEN ${accountExists} THEN :accountId END, :postReads,
       :userReads, :requests, :microUsd, :nowMs)
     RETURNING id`,
    reservation,
  );
  if (row === undefined) throw new Error("the reservation was not written");
  return row.id;
}

export function* deploymentPostReads(
  database: Database,
  { month, platform }: Pick<Spender, "month" | "platform">,
): Steps<number> {
  const row = yield* database.get<{ postReads: number }>(
    `SELECT (SELECT coalesce(sum(post_reads), 0) FROM upstream_use
             WHERE month = :month AND platform = :platform AND owner = 'deployment')
          + (SELECT coalesce(sum(post_reads), 0) FROM upstream_reservation
             WHERE month = :month AND platform = :platform AND owner = 'deployment') AS postReads`,
    { month, platform },
  );
  return row?.postReads ?? 0;
}

const hasOwnCredential =
  "credential_id IN (SELECT id FROM credential WHERE account_id = :accountId)";

/** An account's spending, reserved amounts included, by the owner of the credentials. */
const accountTables = {
  account: [
    ["upstream_use", hasOwnCredential],
    ["upstream_reservation", hasOwnCredential],
  ],
  deployment: [
    ["upstream_account_use", "account_id = :accountId"],
    ["upstream_reservation", "account_id = :accountId AND owner = 'deployment'"],
  ],
} as const;

export function* accountSpending(
  database: Database,
  owner: Spender["owner"],
  spender: Pick<Spender, "month" | "platform"> & { accountId: string },
): Steps<Amounts> {
  const selects = accountTables[owner].map(
    ([table, condition]) =>
      `SELECT post_reads, user_reads, requests, micro_usd FROM ${table}
       WHERE month = :month AND platform = :platform AND ${condition}`,
  );
  const row = yield* database.get<Amounts>(
    `SELECT coalesce(sum(post_reads), 0) AS postReads, coalesce(sum(user_reads), 0) AS userReads,
       coalesce(sum(requests), 0) AS requests, coalesce(sum(micro_usd), 0) AS microUsd
     FROM (${selects.join(" UNION ALL ")}) AS spent`,
    spender,
  );
  return row ?? { postReads: 0, userReads: 0, requests: 0, microUsd: 0 };
}

export type Reservation = Spender & Amounts & { id: number };

export function* takeReservation(database: Database, id: number): Steps<Reservation | null> {
  const row = yield* database.get<Reservation>(`${selectReservations} WHERE id = :id`, { id });
  if (row === undefined) return null;
  yield* database.run("DELETE FROM upstream_reservation WHERE id = :id", { id });
  return row;
}

/** Reservations never settled; at most as many as fit in one transaction. */
export function* deadReservations(database: Database, beforeMs: number): Steps<Reservation[]> {
  return yield* database.all<Reservation>(
    `${selectReservations} WHERE made_ms < :beforeMs ORDER BY made_ms LIMIT 100`,
    { beforeMs },
  );
}

/**
 * Reservations with the deployment's credentials may have been billed, and count in full. Call
 * before jobs and credentials are removed.
 */
export function* forgetSpending(database: Database, accountId: string): Steps<void> {
  const openReservations = yield* database.all<Reservation>(
    `${selectReservations} WHERE EXISTS (SELECT 1 FROM job WHERE uuid = job_uuid AND account_id = :accountId)
       OR account_id = :accountId OR ${hasOwnCredential}`,
    { accountId },
  );
  for (const reservation of openReservations) {
    if (reservation.owner === "deployment") {
      yield* addUse(database, { ...reservation, accountId: null }, reservation);
    }
    yield* takeReservation(database, reservation.id);
  }
  yield* database.run("DELETE FROM upstream_account_use WHERE account_id = :accountId", {
    accountId,
  });
  yield* database.run(`DELETE FROM upstream_use WHERE owner = 'account' AND ${hasOwnCredential}`, {
    accountId,
  });
}

const selectReservations = `SELECT id, month, platform, credential_id AS credentialId, owner, account_id AS accountId, post_reads AS postReads,
    user_reads AS userReads, requests, micro_usd AS microUsd FROM upstream_reservation`;
