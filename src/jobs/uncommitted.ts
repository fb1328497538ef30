import type { JobResult } from "./job.ts";
import type { LeaseTerms } from "./lease-operations.ts";

/**
 * A job that a node of this process runs before its submission is committed. No one else knows its uuid. It is committed with
 * its result, or as it is before anything else happens to it: after `longestUncommittedMs`, before a platform is asked, and when
 * its attempt fails or its lease ends.
 */
export type Uncommitted = {
  /**
   * Answers the job on the thread that commits it, in one message, once it is leased; true when it has ended then. Else it goes on as any other
   * that is not committed.
   */
  answer(): Promise<boolean>;
  /** Null until the node has leased it. */
  lease: LeaseTerms | null;
  /** Writes the submission and the lease, in one commit; does nothing when either write was issued before. */
  commit(): void;
  /** Writes the submission with its result, in one commit. Errors: `lease_lost` when the submission was refused or repeats one. */
  commitDone(result: JobResult): Promise<void>;
  /** Commits it and resolves when it is on disk. Errors: `lease_lost`, as above. */
  accepted(): Promise<void>;
};

/** A search that runs longer goes on as a job in progress. */
export const longestUncommittedMs = 5;
