import { withRowLocks } from "../db/operations.ts";
import { endOperations } from "./ends/end-operations.ts";
import { fetchedOperations } from "./ends/fetched-operations.ts";
import { recoveryOperations } from "./gateways/recovery-operations.ts";
import { leaseOperations } from "./leases/lease-operations.ts";
import { readOperations } from "./reads/read-operations.ts";
import { searchOperations } from "./submissions/search-operations.ts";
import { submissionOperations } from "./submissions/submission-operations.ts";

/**
 * Writes are compare-and-set on the state and, for nodes, on the lease token. Submissions and ends
 * are durable when they resolve; in SQLite, leases are not: a crash ends them anyway.
 */
export const jobOperations = {
  ...withRowLocks({
    ...submissionOperations,
    ...searchOperations,
    ...leaseOperations,
    ...endOperations,
  }),
  ...recoveryOperations,
  ...readOperations,
  ...fetchedOperations,
};

export type JobOperations = typeof jobOperations;
