import { durable } from "../db/operations.ts";
import type { Steps } from "../db/statements.ts";
import type { SearchSubmission, SubmittedSearch } from "../jobs/submissions/search-operations.ts";
import type { Caller } from "./authenticate.ts";
import type { AdmissionRequest, RateOutcome } from "./limit-operations.ts";

/** `caller`: as of its last admission. */
export type AdmittedSubmission = SearchSubmission & {
  admission: AdmissionRequest;
  caller: Caller;
};

/** `rate` is null if nothing was counted or written. */
export type AdmittedSearch =
  | ({ rate: RateOutcome | null } & SubmittedSearch)
  | { rate: null; kind: "unadmitted" };

/** Never admits: on SQLite, rates are in memory. For PostgreSQL, see shared-admitted-search-operations.ts. */
export const admittedSearchOperations = {
  admitSearch: durable(function* (
    _database,
    _submission: AdmittedSubmission,
  ): Steps<AdmittedSearch> {
    yield* [];
    return { rate: null, kind: "unadmitted" };
  }),
};

export type AdmittedSearchOperations = typeof admittedSearchOperations;
