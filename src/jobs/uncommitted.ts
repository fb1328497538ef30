import type { JobResult } from "./job.ts";
import type { LeaseTerms } from "./lease-operations.ts";

/**
 * A job that the local node runs before its submission is committed, so no client knows its uuid yet. It is committed with its
 * result, or as it is after `longestUncommittedMs`, before a platform is requested, and when its attempt fails or its lease ends.
 */
export type Uncommitted = {
  /** Tries to answer the leased job on the writer thread, in one message; true if that ended it. */
  answer(): Promise<boolean>;
  /** Null until the node has leased it. */
  lease: LeaseTerms | null;
  /** Writes the submission and the lease, in one commit; no-op if already issued. */
  commit(): void;
  /** Writes the submission and its result, in one commit. Errors: `lease_lost` if the submission was refused or is a replay. */
  commitDone(result: JobResult): Promise<void>;
  /** Resolves when it is on disk. Errors: `lease_lost`, as above. */
  accepted(): Promise<void>;
};

/** A search that runs longer continues as a job in progress. */
export const longestUncommittedMs = 5;
