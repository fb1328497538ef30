import { EarshotError } from "../../lib/errors.ts";
import type { UsableRelease } from "../../upstream/credentials/release.ts";

/**
 * Each lease has a new token, and calls with an old token fail with `lease_lost`. So a job runs at least once, and its result
 * is visible exactly once.
 */
export type Lease<Work> = {
  uuid: string;
  work: Work;
  accountId: string;
  attempt: number;
  /** A duration, because clocks differ between machines and may be set. */
  remainingMs: number;
  token: string;
  leaseMs: number;
  /**
   * Aborts when the job is cancelled or reaches its deadline; on a remote node, at the next
   * renewal.
   */
  lostSignal: AbortSignal;
  /** Resolves when the submission is on disk; absent if it already is. */
  accepted?: () => Promise<void>;
  released?: UsableRelease;
};

export const embeddedNodeId = "embedded";

export type LeaseRequest<Work> = {
  nodeId: string;
  methods: readonly string[];
  /** Whether the node can take a job. Default: always. */
  isOpen?: () => boolean;
  /**
   * Jobs that the node can run. Default: all jobs of its methods. Checked once per work kind
   * (active-job.ts).
   */
  accepts?: (work: Work) => boolean;
  /** Running jobs divided by capacity; the least loaded node goes first. */
  load?: () => number;
  /** Maximum concurrent jobs, with one lease request each. Default: no reserved slots. */
  slots?: () => number;
  onLease?: () => void;
};

export type LeaseFailure = {
  code: string;
  message: string;
  status: number;
  retryable: boolean;
  hint?: string;
};

export type LeaseGateway<Work, Result> = {
  lease(
    request: LeaseRequest<Work>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Lease<Work> | null>;
  /**
   * Returns the new duration of the lease. Errors: `lease_lost`, after which the node must stop the
   * work.
   */
  renew(uuid: string, token: string): Promise<number>;
  complete(uuid: string, token: string, result: Result): Promise<void>;
  fail(uuid: string, token: string, failure: LeaseFailure): Promise<void>;
};

export function leaseLost(uuid?: string): EarshotError {
  const lease = uuid === undefined ? "the lease" : `the lease of job ${uuid}`;
  return new EarshotError("lease_lost", `${lease} has ended`, {
    status: 409,
    hint: "drop the work: the job has ended, or another attempt is running it",
  });
}

export const isLeaseLost = (thrown: unknown): boolean =>
  thrown instanceof EarshotError && thrown.code === "lease_lost";
