import type { JobResult } from "../job.ts";
import type { LeaseTerms } from "../leases/lease-operations.ts";

/**
 * A job that runs before its submission is committed, so no client knows its uuid yet. It is committed with its result,
 * or unfinished: after `longestUncommittedMs`, before a platform is requested, and when its attempt fails or its lease
 * ends.
 */
export type UncommittedJob = {
  lease: LeaseTerms | null;
  commit(): void;
  /** Errors: `lease_lost` if the submission was refused or is a replay. */
  commitDone(result: JobResult): Promise<void>;
  /** Resolves when it is on disk. Errors: `lease_lost`. */
  accepted(): Promise<void>;
};

/** A longer search continues as a job in progress. */
export const longestUncommittedMs = 5;
