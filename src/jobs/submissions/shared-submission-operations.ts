/**
 * Submissions on PostgreSQL: one statement, and so one round trip. Rare cases take the steps that
 * every store has.
 */

import { durable } from "../../db/operations.ts";
import { singleStatement } from "../../db/postgres/run-operation.ts";
import type { Steps } from "../../db/statements.ts";
import type { Platform } from "../../posts/post.ts";
import { usableCredential } from "../../upstream/credentials/rows.ts";
import { fetchedJson, fetchedSql } from "../ends/fetched-operations.ts";
import {
  answerSubmission,
  canRequest,
  type SearchSubmission,
  type SubmittedSearch,
  submittedOf,
} from "./search-operations.ts";
import {
  done,
  type InsertedJob,
  type JobInsertion,
  received,
  submissionOperations,
} from "./submission-operations.ts";

export const sharedSubmissionOperations = {
  insertJob: durable(function* (database, job: JobInsertion): Steps<InsertedJob> {
    return (
      (yield* insertAlone(job, [])) ?? (yield* submissionOperations.insertJob.run(database, job))
    );
  }),

  submitSearch: durable(function* (database, submission: SearchSubmission): Steps<SubmittedSearch> {
    const answered = answerSubmission(database, submission);
    if (answered.kind === "unanswered") return answered;
    const { job } = answered;
    const inserted = yield* insertAlone(job, submission.search.terms.requestableWithCredential);
    if (inserted !== null) return submittedOf(answered, inserted);
    if (yield* canRequest(database, submission)) return { kind: "unanswered", reason: "declined" };
    return submittedOf(answered, yield* submissionOperations.insertJob.run(database, job));
  }),
};

const ordinary = `id = :accountId AND suspended_ms IS NULL
  AND NOT EXISTS (SELECT 1 FROM webhook WHERE account_id = :accountId AND disabled_ms IS NULL)
  AND NOT EXISTS (SELECT 1 FROM credential WHERE ${usableCredential})`;

/**
 * Locks the account first, so that its suspension does not leave the idempotency key without a job.
 */
const withKey = `owner AS (SELECT id FROM account WHERE ${ordinary} FOR UPDATE),
  keyed AS (
    INSERT INTO idempotency(account_id, key, request_hash, uuid, created_ms)
    SELECT id, :key, :requestHash, :uuid, :submittedMs FROM owner
    ON CONFLICT(account_id, key) DO UPDATE SET request_hash = :requestHash, uuid = :uuid, created_ms = :submittedMs
      WHERE idempotency.created_ms <= :sinceMs
    RETURNING account_id AS id),
  numbered AS (UPDATE account SET last_change = last_change + 1 FROM keyed WHERE account.id = keyed.id
    RETURNING last_change)`;

const withoutKey = `numbered AS (UPDATE account SET last_change = last_change + 1 WHERE ${ordinary} RETURNING last_change)`;

const insertSql = (numbered: string, { columns, values }: typeof done, otherSql = ""): string =>
  `WITH ${numbered} ${otherSql}
  INSERT INTO job(${columns}) SELECT ${values}, last_change FROM numbered RETURNING change`;

const posts = `, posts AS (${fetchedSql(":accountId", "numbered CROSS JOIN json_each(:posts) WHERE TRUE")})`;

const statements = {
  received: { keyed: insertSql(withKey, received), keyless: insertSql(withoutKey, received) },
  done: { keyed: insertSql(withKey, done, posts), keyless: insertSql(withoutKey, done, posts) },
};

function* insertAlone(
  { idempotency = null, answer = null, ...job }: JobInsertion,
  platforms: readonly Platform[],
): Steps<InsertedJob | null> {
  const { fetched = [], ...end } = answer ?? {};
  const { keyed, keyless } = statements[answer === null ? "received" : "done"];
  const sql = idempotency === null ? keyless : keyed;
  const parameters = {
    ...job,
    ...end,
    ...idempotency,
    platforms: JSON.stringify(platforms),
    posts: fetchedJson(fetched),
  };
  const inserted = yield* singleStatement<{ change: number }>(sql, parameters);
  return inserted === undefined ? null : { isReplay: false, ...inserted, hasDeliveries: false };
}
