import type { JobFailure } from "./job.ts";
import type { LeaseFailure } from "./lease.ts";

/** What a failed attempt leads to. */
export type AfterFailure =
  | { kind: "retry"; notBeforeMs: number }
  | { kind: "error"; failure: JobFailure };

export type FailedAttempt = {
  failure: LeaseFailure;
  /** Attempts so far, this one included. */
  attempts: number;
  /** In how many of them a reader thread died, this one included. */
  readerDeaths: number;
  deadlineMs: number;
};

export type RetryRules = { maxAttempts: number; retryDelayMs: number };

/** The failure code of an attempt in which a reader thread died. */
export const threadDied = "thread_died";

const maxReaderDeaths = 2;

/**
 * Retries what can be mended by it, `retryDelayMs · 2^(attempts - 1)` later, as long as attempts are left and the deadline is
 * further away. A job that killed two reader threads is not given a third.
 */
export function afterFailure(
  { failure, attempts, readerDeaths, deadlineMs }: FailedAttempt,
  { maxAttempts, retryDelayMs }: RetryRules,
  nowMs: number,
): AfterFailure {
  if (readerDeaths >= maxReaderDeaths) return { kind: "error", failure: poisonJob };
  const notBeforeMs = nowMs + retryDelayMs * 2 ** (attempts - 1);
  if (failure.retryable && attempts < maxAttempts && notBeforeMs < deadlineMs) {
    return { kind: "retry", notBeforeMs };
  }
  return { kind: "error", failure };
}

const poisonJob: JobFailure = {
  code: "poison_job",
  message: "the search ended its reader thread twice and is not tried again",
  status: 500,
};

export const deadlinePassed: JobFailure = {
  code: "deadline",
  message:
    "the job did not end before its deadline; submit it again, or narrow its query or window",
  status: 504,
};

/** A job that waited to the end, as others ran in all slots that it could have run in. */
export const noSlot: JobFailure = {
  code: "no_slot",
  message: "the job waited until its deadline and none of the nodes had a free slot for it",
  status: 504,
  hint: "submit it again later, and fewer at a time; the operator can raise EARSHOT_NODE_CONCURRENCY or add nodes",
  retryable: true,
};

/** A job that waited to the end, as no node was there for it. */
export const noNode: JobFailure = {
  code: "no_node",
  message: "no node that can run it was connected before its deadline",
  status: 504,
  hint: "submit it again later; /v1/nodes tells which nodes are connected and what they can do",
  retryable: true,
};

/** A page that only one node can continue. */
export const nodeOfPageIsGone: JobFailure = {
  code: "no_node",
  message: "the node that gave the page before is not connected, and no other can continue it",
  status: 504,
  hint: "submit the search again without next_cursor, or try again later",
  retryable: true,
};

/** A lease that lapsed: the node has not been heard of. */
export const nodeLost: LeaseFailure = {
  code: "node_lost",
  message: "the node that ran the search was lost in every attempt; submit the job again",
  status: 500,
  retryable: true,
};
