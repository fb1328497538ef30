import { durable } from "../db/operations.ts";
import type { Steps } from "../db/statements.ts";
import type { SearchSubmission, SubmittedSearch } from "../jobs/submissions/search-operations.ts";
import type { Caller } from "./authenticate.ts";
import type { AdmissionRequest, RateAnswer } from "./limit-operations.ts";

/** `caller`: as it was admitted before. */
export type AdmittedSubmission = SearchSubmission & {
  admission: AdmissionRequest;
  caller: Caller;
};

/** Nothing is written without a turn, and none is taken by an unanswered search that a platform need not answer. */
export type AdmittedSearch =
  | ({ turn: RateAnswer | null } & SubmittedSearch)
  | { turn: null; kind: "unadmitted" };

/** Never admits: on SQLite the rates are in memory. For PostgreSQL, see shared-admitted-search-operations.ts. */
export const admittedSearchOperations = {
  admitSearch: durable(function* (
    _database,
    _submission: AdmittedSubmission,
  ): Steps<AdmittedSearch> {
    yield* [];
    return { turn: null, kind: "unadmitted" };
  }),
};

export type AdmittedSearchOperations = typeof admittedSearchOperations;
