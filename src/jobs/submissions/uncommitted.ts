import type { JobResult } from "../job.ts";
import type { LeaseTerms } from "../leases/lease-operations.ts";

/**
 * Runs before its submission is committed, so that no client has its uuid yet. It is committed with its result; or without one
 * after `maxUncommittedMs`, before a request to a platform, and when its attempt fails or its lease is lost.
 */
export type UncommittedJob = {
  lease: LeaseTerms | null;
  commit(): void;
  /** Errors: `lease_lost` if the submission was refused or repeats an earlier one. */
  commitDone(result: JobResult): Promise<void>;
  /** Resolves when the job is on disk. Errors: `lease_lost`. */
  accepted(): Promise<void>;
};

/** Longer searches become jobs in progress. */
export const maxUncommittedMs = 5;
