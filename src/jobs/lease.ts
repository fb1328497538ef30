import { EarshotError } from "../lib/errors.ts";
import type { UsableRelease } from "../upstream/credentials/release.ts";

/**
 * How work reaches a node. A node pulls: it leases a job, runs it, and hands in the result with the token of its lease. The
 * embedded node and a remote one speak the same interface. A token is fresh for each lease; whoever holds an old one is
 * told so (`lease_lost`) and its work is dropped: a job runs at least once and is visible exactly once.
 */
export type Lease<Work> = {
  uuid: string;
  work: Work;
  /** Whose job it is: with whose credentials platforms are asked. */
  accountId: string;
  attempt: number;
  /** How long the job as a whole has left. Spans, as the clocks of two machines differ and any clock may be put right. */
  leftMs: number;
  token: string;
  /** How long the lease holds unless renewed. */
  holdMs: number;
  /**
   * Aborts when the lease is lost before the job has ended: it was cancelled, or its time is over. A gateway in the node's own
   * process aborts it at once; one that is asked over a network hears of it when it renews.
   */
  lost: AbortSignal;
  /**
   * Makes sure that the job is on disk and resolves when it is; absent when it is already. Until then the job has no effect
   * outside of this process. Errors: `lease_lost` when its submission was refused.
   */
  accepted?: () => Promise<void>;
  /** A credential that the gateway has released to the node for this job alone; absent without one. */
  released?: UsableRelease;
};

/** The id of the node in the gateway's own process. */
export const embeddedNodeId = "embedded";

/** The node that asks, and the methods that it asks for. */
export type AskingNode<Work> = {
  nodeId: string;
  methods: readonly string[];
  /** Whether it may be given anything for the moment, such as by its pace; always where it is left out. */
  isOpen?: () => boolean;
  /**
   * Whether it can run this; whatever is of its methods where it is left out. It is asked about one job of a kind for all of the
   * kind: by method, platform, type, where it has to run and where it goes on, and nothing else.
   */
  accepts?: (work: Work) => boolean;
  /** What share of the jobs that it can run at a time it runs, from 0: the least loaded is given work first. */
  load?: () => number;
  /**
   * How many jobs of these methods it can run at a time, each by a request of its own: the last free ones are reserved for accounts
   * that have nothing running. None is reserved where it is left out.
   */
  slots?: () => number;
  /** Told in the same step in which it is given a job. */
  onGiven?: () => void;
};

export type LeaseFailure = {
  code: string;
  message: string;
  status: number;
  retryable: boolean;
  /** What to do about it, one sentence. */
  hint?: string;
};

export type LeaseGateway<Work, Result> = {
  /** Waits up to `waitMs` for a job that the node can run; null when none came. */
  lease(
    asking: AskingNode<Work>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Lease<Work> | null>;
  /** Extends the lease; how long it holds from here on, or `lease_lost`: the node stops its work then. */
  renew(uuid: string, token: string): Promise<number>;
  /** Makes the job done, in one transaction with the check of the token. */
  complete(uuid: string, token: string, result: Result): Promise<void>;
  fail(uuid: string, token: string, failure: LeaseFailure): Promise<void>;
};

/** What a node is told whose lease of a job has ended, whoever finds out. */
export function leaseLost(uuid?: string): EarshotError {
  const lease = uuid === undefined ? "the lease" : `the lease of job ${uuid}`;
  return new EarshotError("lease_lost", `${lease} is not held any more`, {
    status: 409,
    hint: "drop the work: another attempt has the job, or it has ended",
  });
}

export const isLeaseLost = (thrown: unknown): boolean =>
  thrown instanceof EarshotError && thrown.code === "lease_lost";
