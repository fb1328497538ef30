/** On PostgreSQL, a submission takes one round trip; rare cases take SQLite's steps. */

import { durable } from "../../db/operations.ts";
import {
  batchedCalls,
  batchedResults,
  parametersAsColumns,
} from "../../db/postgres/batched-calls.ts";
import { batchableStatement, singleStatement } from "../../db/postgres/run-operation.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { Platform } from "../../posts/post.ts";
import { usableCredentialSql } from "../../upstream/credentials/rows.ts";
import { fetchedPostsJson, storeFetchedPostsSql } from "../ends/fetched-operations.ts";
import { accountOrder } from "../reads/visible-change.ts";
import {
  type AnsweredSearch,
  answerSubmission,
  hasRequestablePlatform,
  type SearchSubmission,
  type SubmittedSearch,
  submittedSearch,
} from "./search-operations.ts";
import {
  doneInsert,
  type InsertedJob,
  type JobInsertion,
  receivedInsert,
  submissionOperations,
} from "./submission-operations.ts";

export const sharedSubmissionOperations = {
  insertJob: durable(function* (database, job: JobInsertion): Steps<InsertedJob> {
    return (yield* insertInOneStatement(job, [])) ?? (yield* insertInSteps(database, job));
  }),

  submitSearch: durable(function* (database, submission: SearchSubmission): Steps<SubmittedSearch> {
    const answered = answerSubmission(database, submission);
    if (answered.kind === "unanswered") return answered;
    const { job } = answered;
    const inserted = yield* insertInOneStatement(
      job,
      submission.search.context.requestableWithCredential,
    );
    if (inserted !== null) return submittedSearch(answered, inserted);
    return yield* insertOrDecline(database, submission, answered);
  }),
};

export const searchParameterTypes = {
  ...{ uuid: "TEXT", accountId: "TEXT", keyId: "TEXT", request: "TEXT", canonicalQuery: "TEXT" },
  ...{ warnings: "TEXT", submittedMs: "BIGINT", deadlineMs: "BIGINT", node: "TEXT" },
  ...{ startedMs: "BIGINT", finishedMs: "BIGINT", expiresMs: "BIGINT" },
  ...{ platforms: "TEXT", postIds: "TEXT" },
};

const doneInsertWithIds = {
  columns: `post_ids, ${doneInsert.columns}`,
  values: `CAST(CAST(:postIds AS TEXT) AS BIGINT[]), ${doneInsert.values}`,
};

export const needsNoCredentialSql = `NOT EXISTS (SELECT 1 FROM credential WHERE ${usableCredentialSql})`;

const isOrdinarySql = `id = :accountId AND suspended_ms IS NULL
  AND NOT EXISTS (SELECT 1 FROM webhook WHERE account_id = :accountId AND disabled_ms IS NULL)
  AND ${needsNoCredentialSql}`;

/** Locks the account first, so that a concurrent suspension cannot leave the idempotency key without a job. */
const numberedWithKey = `owner AS (SELECT id FROM account WHERE ${isOrdinarySql} FOR NO KEY UPDATE),
  keyed AS (
    INSERT INTO idempotency(account_id, key, request_hash, uuid, created_ms)
    SELECT id, :key, :requestHash, :uuid, :submittedMs FROM owner
    ON CONFLICT(account_id, key) DO UPDATE SET request_hash = :requestHash, uuid = :uuid, created_ms = :submittedMs
      WHERE idempotency.created_ms <= :sinceMs
    RETURNING account_id AS id),
  numbered AS (UPDATE account SET last_change = last_change + 1 FROM keyed WHERE account.id = keyed.id
    RETURNING last_change)`;

const numberedWithoutKey = `numbered AS (UPDATE account SET last_change = last_change + 1 WHERE ${isOrdinarySql} RETURNING last_change)`;

const insertSql = (
  numbered: string,
  { columns, values }: typeof doneInsert,
  otherSql = "",
): string =>
  `WITH ${numbered} ${otherSql}
  INSERT INTO job(${columns}) SELECT ${values}, last_change FROM numbered RETURNING change`;

/** Inserts the searches in `job_of_call`, which have neither idempotency keys nor fetched posts. */
export const insertSearchesSql = `owner AS (
    SELECT id FROM account WHERE id IN (SELECT accountId FROM job_of_call) AND suspended_ms IS NULL
      AND NOT EXISTS (SELECT 1 FROM webhook WHERE account_id = account.id AND disabled_ms IS NULL)
    ORDER BY ${accountOrder} FOR NO KEY UPDATE),
  numbered AS (
    UPDATE account SET last_change = last_change + counted.jobs
    FROM owner JOIN (SELECT accountId, count(*) AS jobs FROM job_of_call GROUP BY accountId) AS counted
      ON counted.accountId = owner.id
    WHERE account.id = owner.id RETURNING owner.id, last_change - counted.jobs AS earlier),
  inserted AS (
    INSERT INTO job(${doneInsertWithIds.columns})
    SELECT ${parametersAsColumns("job_of_call", doneInsertWithIds.values)},
      numbered.earlier + row_number() OVER (PARTITION BY job_of_call.accountId ORDER BY job_of_call.call)
    FROM job_of_call JOIN numbered ON numbered.id = job_of_call.accountId
    RETURNING uuid, change)`;

const batchedSearchesSql = `WITH job_of_call AS MATERIALIZED (
    SELECT * FROM ${batchedCalls("listed", searchParameterTypes)} JOIN ${batchedResults} USING (call) WHERE ${parametersAsColumns("listed", needsNoCredentialSql)}),
  ${insertSearchesSql}
  SELECT call, change FROM inserted JOIN job_of_call ON job_of_call.uuid = inserted.uuid`;

const insertPostsSql = `, posts AS (${storeFetchedPostsSql(":accountId", "numbered CROSS JOIN json_each(:posts) WHERE TRUE")})`;

const makeStatements = (columns: typeof doneInsert, otherSql = "") => ({
  keyed: insertSql(numberedWithKey, columns, otherSql),
  keyless: insertSql(numberedWithoutKey, columns, otherSql),
});

const statements = {
  received: makeStatements(receivedInsert),
  done: makeStatements(doneInsertWithIds),
  /**
   * Separate, because most answers have no fetched posts, which take a tenth of the statement's
   * time.
   */
  doneWithPosts: makeStatements(doneInsertWithIds, insertPostsSql),
};

function* insertInOneStatement(
  job: JobInsertion,
  platforms: readonly Platform[],
): Steps<InsertedJob | null> {
  const { idempotency = null, answer = null } = job;
  const fetched = answer?.fetched ?? [];
  const doneStatements = fetched.length === 0 ? statements.done : statements.doneWithPosts;
  const { keyed, keyless } = answer === null ? statements.received : doneStatements;
  const sql = idempotency === null ? keyless : keyed;
  const parameters = insertionParameters(job, platforms);
  const withPosts = { ...parameters, ...idempotency, posts: fetchedPostsJson(fetched) };
  const isBatchable = answer !== null && idempotency === null && fetched.length === 0;
  const inserted = isBatchable
    ? yield* batchableStatement<{ change: number }>(
        { sql, batchSql: batchedSearchesSql },
        parameters,
      )
    : yield* singleStatement<{ change: number }>(sql, withPosts);
  return inserted === undefined ? null : { isRepeated: false, ...inserted, hasDeliveries: false };
}

export function* insertOrDecline(
  database: Database,
  submission: SearchSubmission,
  answered: AnsweredSearch,
): Steps<SubmittedSearch> {
  if (yield* hasRequestablePlatform(database, submission))
    return { kind: "unanswered", reason: "declined" };
  return submittedSearch(answered, yield* insertInSteps(database, answered.job));
}

/** Takes SQLite's steps, and stores the IDs of the posts. */
function* insertInSteps(database: Database, job: JobInsertion): Steps<InsertedJob> {
  const inserted = yield* submissionOperations.insertJob.run(database, job);
  const { postIds = [] } = job.answer ?? {};
  if (!inserted.isRepeated && postIds.length > 0) {
    yield* database.run(
      "UPDATE job SET post_ids = CAST(CAST(:postIds AS TEXT) AS BIGINT[]) WHERE uuid = :uuid",
      { uuid: job.uuid, postIds: arrayText(postIds) },
    );
  }
  return inserted;
}

/**
 * Excludes the idempotency key and the fetched posts. `platforms`: those that can be requested with
 * a credential.
 */
export function insertionParameters(
  { idempotency: _key, answer = null, ...job }: JobInsertion,
  platforms: readonly Platform[],
) {
  const { fetched: _posts, postIds = [], ...end } = answer ?? {};
  return { ...job, ...end, platforms: JSON.stringify(platforms), postIds: arrayText(postIds) };
}

const arrayText = (ids: readonly bigint[]): string => `{${ids.join(",")}}`;
