import { durable, read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import { type FetchedPost, storeFetchedPosts } from "../ends/fetched-operations.ts";
import { type JobSnapshot, numberSubmission } from "../reads/visible-change.ts";
import { transitions } from "../states.ts";
import { type JobRow, rowColumns } from "../stored.ts";
import { enqueueDeliveries } from "../webhooks/enqueue.ts";

export type JobInsertion = Pick<
  JobRow,
  | "uuid"
  | "accountId"
  | "keyId"
  | "request"
  | "canonicalQuery"
  | "warnings"
  | "submittedMs"
  | "deadlineMs"
> & { idempotency?: KeyedRequest | null; answer?: SubmittedAnswer | null };

/** The answer of an attempt that ended before the submission was committed. */
type SubmittedAnswer = {
  node: string;
  startedMs: number;
  finishedMs: number;
  expiresMs: number;
  result: string;
  fetched: readonly FetchedPost[];
  /** The archived posts whose records are in `result`. */
  postIds?: readonly bigint[];
};

export type KeyedRequest = { key: string; requestHash: Uint8Array; sinceMs: number };

export type EarlierSubmission = { uuid: string; row: JobRow | null };

export type InsertedChange = Pick<JobSnapshot, "change" | "hasDeliveries">;

export type InsertedJob =
  | ({ isRepeated: false } & InsertedChange)
  | { isRepeated: true; earlier: EarlierSubmission };

export const submissionOperations = {
  /** Errors: `idempotency_mismatch`, those of `numberSubmission`. */
  insertJob: durable(function* (
    database,
    { idempotency = null, answer = null, ...job }: JobInsertion,
  ): Steps<InsertedJob> {
    const { accountId, uuid, submittedMs } = job;
    if (idempotency !== null) {
      yield* lockAccount(database, accountId);
      const earlier = yield* earlierSubmission(database, accountId, idempotency);
      if (earlier !== null) return { isRepeated: true, earlier };
    }
    const change = yield* numberSubmission(database, accountId);
    const hasDeliveries =
      answer !== null && (yield* insertAnswered(database, { ...job, change }, answer));
    if (answer === null) yield* database.run(insertReceivedSql, { ...job, change });
    if (idempotency !== null) {
      const { key, requestHash } = idempotency;
      yield* database.run(insertKeySql, { accountId, key, requestHash, uuid, submittedMs });
    }
    return { isRepeated: false, change, hasDeliveries };
  }),

  /** Errors: `idempotency_mismatch`. */
  findEarlier: read(function* (
    database,
    { accountId, idempotency }: { accountId: string; idempotency: KeyedRequest },
  ): Steps<EarlierSubmission | null> {
    return yield* earlierSubmission(database, accountId, idempotency);
  }),
};

const commonColumns =
  "uuid, account_id, key_id, request, canonical_query, warnings, submitted_ms, deadline_ms";
const commonValues =
  ":uuid, :accountId, :keyId, :request, :canonicalQuery, :warnings, :submittedMs, :deadlineMs";

/** Columns of `job` and their values. The last column is `change`, whose value is appended. */
export const receivedInsert = {
  columns: `${commonColumns}, state, changed_ms, change`,
  values: `${commonValues}, '${transitions.submit.to}', :submittedMs`,
};
export const doneInsert = {
  columns: `${commonColumns}, attempts, node, started_ms, finished_ms, expires_ms, result, state, changed_ms, change`,
  values: `${commonValues}, 1, :node, :startedMs, :finishedMs, :expiresMs, :result, '${transitions.submitDone.to}', :finishedMs`,
};

const insertReceivedSql = `INSERT INTO job(${receivedInsert.columns}) VALUES(${receivedInsert.values}, :change)`;
const insertDoneSql = `INSERT INTO job(${doneInsert.columns}) VALUES(${doneInsert.values}, :change)`;

const insertKeySql = `INSERT INTO idempotency(account_id, key, request_hash, uuid, created_ms)
  VALUES(:accountId, :key, :requestHash, :uuid, :submittedMs)
  ON CONFLICT(account_id, key) DO UPDATE SET request_hash = :requestHash, uuid = :uuid, created_ms = :submittedMs`;

function* insertAnswered(
  database: Database,
  job: Omit<JobInsertion, "idempotency" | "answer"> & { change: number },
  { fetched, postIds: _none, ...answer }: SubmittedAnswer,
): Steps<boolean> {
  const { accountId, uuid } = job;
  const { finishedMs, expiresMs } = answer;
  yield* database.run(insertDoneSql, { ...job, ...answer });
  yield* storeFetchedPosts(database, { uuid, expiresMs, posts: fetched });
  return yield* enqueueDeliveries(database, {
    accountId,
    uuid,
    event: "job.done",
    nowMs: finishedMs,
  });
}

/** Delays concurrent submissions, so that a repeated idempotency key finds the first job. */
function* lockAccount(database: Database, accountId: string): Steps<void> {
  yield* database.get("SELECT 1 FROM account WHERE id = :accountId FOR NO KEY UPDATE", {
    accountId,
  });
}

function* earlierSubmission(
  database: Database,
  accountId: string,
  { key, requestHash, sinceMs }: KeyedRequest,
): Steps<EarlierSubmission | null> {
  const earlier = yield* database.get<{ uuid: string; requestHash: Uint8Array }>(
    `SELECT uuid, request_hash AS requestHash FROM idempotency
     WHERE account_id = :accountId AND key = :key AND created_ms > :sinceMs`,
    { accountId, key, sinceMs },
  );
  if (earlier === undefined) return null;
  if (Buffer.compare(earlier.requestHash, requestHash) !== 0) throw mismatchError();
  const { uuid } = earlier;
  const row = yield* database.get<JobRow>(
    `SELECT ${rowColumns} FROM job WHERE uuid = :uuid AND account_id = :accountId`,
    { uuid, accountId },
  );
  return { uuid, row: row ?? null };
}

function mismatchError(): EarshotError {
  return new EarshotError(
    "idempotency_mismatch",
    "the Idempotency-Key has already been used for another request",
    {
      status: 422,
      hint: "send a new Idempotency-Key with each new request",
    },
  );
}
