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
  needsNoCredential,
  searchParameterTypes,
} from "../jobs/submissions/shared-submission-operations.ts";
import type { AdmittedSearch, AdmittedSubmission } from "./admitted-search-operations.ts";
import { authenticationSql } from "./authenticate.ts";
import { immediateCallSql } from "./immediate-calls.ts";
import { methodsText } from "./keys/key.ts";
import {
  type AdmissionRow,
  admissionParameters,
  admissionParameterTypes,
  callerSql,
  lockedRates,
  rateColumns,
  rowRateOutcome,
} from "./shared-limit-operations.ts";

const sql = `WITH request AS MATERIALIZED (
    SELECT * FROM ${batchedCalls("listed", { ...admissionParameterTypes, ...searchParameterTypes, methods: "TEXT" })}),
  caller AS MATERIALIZED (
    SELECT request.call, TRUE AS isSubmission, caller.* FROM request
    CROSS JOIN LATERAL (${parametersAsColumns("request", callerSql(authenticationSql))}) AS caller
    WHERE caller.accountId = request.accountId AND caller.methods IS NOT DISTINCT FROM request.methods),
  locked AS (${lockedRates}),
  taken AS (${immediateCallSql("caller JOIN locked ON locked.id = caller.ratesKeyId")}),
  job_of_call AS MATERIALIZED (
    SELECT request.*, result FROM request JOIN taken ON taken.call = request.call
    JOIN ${batchedResults} ON batched_result.call = request.call
    WHERE ${parametersAsColumns("request", needsNoCredential)}),
  ${insertSearchesSql}
  SELECT caller.*, ${rateColumns}, inserted.change AS change FROM taken
  JOIN caller ON caller.call = taken.call
  LEFT JOIN job_of_call ON job_of_call.call = taken.call
  LEFT JOIN inserted ON inserted.uuid = job_of_call.uuid`;

type Row = AdmissionRow & { change: number | null };

export const sharedAdmittedSearchOperations = withRowLocks({
  admitSearch: durable(function* (database, submission: AdmittedSubmission): Steps<AdmittedSearch> {
    const { admission, caller } = submission;
    const answered = answerSubmission(database, submission);
    if (answered.kind === "unanswered") return { rate: null, ...answered };
    const row = yield* batchStatement<Row>(sql, {
      ...insertionParameters(answered.job, submission.search.terms.requestableWithCredential),
      ...admissionParameters(admission),
      methods: methodsText(caller.methods),
    });
    if (row === undefined) return { rate: null, kind: "unadmitted" };
    const rate = rowRateOutcome(row, admission);
    if (row.change !== null) {
      const inserted = { isRepeated: false as const, change: row.change, hasDeliveries: false };
      return { rate, ...submittedSearch(answered, inserted) };
    }
    return { rate, ...(yield* insertOrDecline(database, submission, answered)) };
  }),
});
