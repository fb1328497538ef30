import { byRow } from "../db/operations.ts";
import { endOperations } from "./end-operations.ts";
import { fetchedOperations } from "./fetched-operations.ts";
import { leaseOperations } from "./lease-operations.ts";
import { readOperations } from "./read-operations.ts";
import { recoveryOperations } from "./recovery-operations.ts";
import { searchOperations } from "./search-operations.ts";
import { submissionOperations } from "./submission-operations.ts";

/**
 * Writes are compare-and-set on the state and, from nodes, the lease token. Submissions and ends
 * are durable when they resolve; leases are not, because a crash ends them anyway.
 */
export const jobOperations = {
  ...byRow({ ...submissionOperations, ...searchOperations, ...leaseOperations, ...endOperations }),
  ...recoveryOperations,
  ...readOperations,
  ...fetchedOperations,
};

export type JobOperations = typeof jobOperations;
