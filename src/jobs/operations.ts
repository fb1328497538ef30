import { endOperations } from "./end-operations.ts";
import { fetchedOperations } from "./fetched-operations.ts";
import { leaseOperations } from "./lease-operations.ts";
import { readOperations } from "./read-operations.ts";
import { recoveryOperations } from "./recovery-operations.ts";
import { searchOperations } from "./search-operations.ts";
import { submissionOperations } from "./submission-operations.ts";

/**
 * Every read and change of the job table. A change compares state and, where a node makes it, the token of the lease; one that
 * finds the job otherwise changes nothing and says so. Times are Unix milliseconds. On disk before they resolve: submission
 * and every end; a lease is not, since a crash ends it anyway.
 */
export const jobOperations = {
  ...submissionOperations,
  ...searchOperations,
  ...leaseOperations,
  ...endOperations,
  ...recoveryOperations,
  ...readOperations,
  ...fetchedOperations,
};

export type JobOperations = typeof jobOperations;
