/**
 * On PostgreSQL, a short search with a recently admitted key takes one round trip, which checks the
 * key, counts the call, and inserts the job with its result. `admit` and the ordinary submission
 * handle all other searches.
 */

import { durable, withRowLocks } from "../db/operations.ts";
import { batchedCalls, batchedResults, parametersAsColumns } from "../db/postgres/batched-calls.ts";
import { batchStatement } from "../db/postgres/run-operation.ts";
import type { Steps } from "../db/statements.ts";
import { answerSubmission, submittedSearch } from "../jobs/submissions/search-operations.ts";
import {
  insertionParameters,
  insertOrDecline,
  insertSearchesSql,
  needsNoCredentialSql,
  searchParameterTypes,
} from "../jobs/submissions/shared-submission-operations.ts";
import type { AdmittedSearch, AdmittedSubmission } from "./admitted-search-operations.ts";
import { authenticationSql } from "./authenticate.ts";
import { immediateCallSql } from "./immediate-calls.ts";
import { formatMethods } from "./keys/key.ts";
import {
  type AdmissionRow,
  admissionParameters,
  admissionParameterTypes,
  callerSql,
  lockedRatesSql,
  rateColumns,
  rowRateOutcome,
} from "./shared-limit-operations.ts";

const sql = `WITH request AS MATERIALIZED (
    SELECT * FROM ${batchedCalls("listed", { ...admissionParameterTypes, ...searchParameterTypes, methods: "TEXT" })}),
  caller AS MATERIALIZED (
    SELECT request.call, TRUE AS isSubmission, caller.* FROM request
    CROSS JOIN LATERAL (${parametersAsColumns("request", callerSql(authenticationSql))}) AS caller
    WHERE caller.accountId = request.accountId AND caller.methods IS NOT DISTINCT FROM request.methods),
  locked AS (${lockedRatesSql}),
  taken AS (${immediateCallSql("caller JOIN locked ON locked.id = caller.ratesKeyId")}),
  job_of_call AS MATERIALIZED (
    SELECT request.*, result FROM request JOIN taken ON taken.call = request.call
    JOIN ${batchedResults} ON batched_result.call = request.call
    WHERE ${parametersAsColumns("request", needsNoCredentialSql)}),
  ${insertSearchesSql}
  SELECT caller.*, ${rateColumns}, inserted.change AS change FROM taken
  JOIN caller ON caller.call = taken.call
  LEFT JOIN job_of_call ON job_of_call.call = taken.call
  LEFT JOIN inserted ON inserted.uuid = job_of_call.uuid`;

type Row = AdmissionRow & { change: number | null };

export const sharedAdmittedSearchOperations = withRowLocks({
  admitSearch: durable(function* (database, submission: AdmittedSubmission): Steps<AdmittedSearch> {
    const { admission, caller } = submission;
    const answer = answerSubmission(database, submission);
    if (answer.kind === "unanswered") return { rate: null, ...answer };
    const row = yield* batchStatement<Row>(sql, {
      ...insertionParameters(answer.job, submission.search.context.requestableWithCredential),
      ...admissionParameters(admission),
      methods: formatMethods(caller.methods),
    });
    if (row === undefined) return { rate: null, kind: "unadmitted" };
    const rate = rowRateOutcome(row, admission);
    if (row.change !== null) {
      const insertion = { isRepeated: false as const, change: row.change, hasDeliveries: false };
      return { rate, ...submittedSearch(answer, insertion) };
    }
    return { rate, ...(yield* insertOrDecline(database, submission, answer)) };
  }),
});
