import { durable } from "../db/operations.ts";
import type { Steps } from "../db/statements.ts";
import type { SearchSubmission, SubmittedSearch } from "../jobs/submissions/search-operations.ts";
import type { Caller } from "./authenticate.ts";
import type { AdmissionRequest, TurnAnswer } from "./limit-operations.ts";

/** `caller`: as it was admitted before. */
export type AdmittedSubmission = SearchSubmission & {
  admission: AdmissionRequest;
  caller: Caller;
};

/** `turn`: null if nothing was taken. `uninserted`: nothing was written, and not for the search. */
export type AdmittedSearch = { turn: TurnAnswer | null } & (
  | SubmittedSearch
  | { kind: "uninserted" }
);

/** Only shared-admitted-search-operations.ts admits: elsewhere the rates are in memory, and cost no round trip. */
export const admittedSearchOperations = {
  admitSearch: durable(function* (
    _database,
    _submission: AdmittedSubmission,
  ): Steps<AdmittedSearch> {
    yield* [];
    return { turn: null, kind: "uninserted" };
  }),
};

export type AdmittedSearchOperations = typeof admittedSearchOperations;
