import type { JobFailure } from "../job.ts";
import type { LeaseFailure } from "./lease.ts";

export type FailureOutcome =
  | { kind: "retry"; notBeforeMs: number }
  | { kind: "error"; failure: JobFailure };

export type EndedAttempt = {
  failure: LeaseFailure;
  attempts: number;
  readerDeaths: number;
  deadlineMs: number;
};

export type RetryRules = { maxAttempts: number; retryDelayMs: number };

export const threadDiedCode = "thread_died";

const maxReaderDeaths = 2;

/**
 * The delay doubles with each attempt, from `retryDelayMs`. A job that has killed two reader
 * threads is not retried.
 */
export function failureOutcome(
  { failure, attempts, readerDeaths, deadlineMs }: EndedAttempt,
  { maxAttempts, retryDelayMs }: RetryRules,
  nowMs: number,
): FailureOutcome {
  if (readerDeaths >= maxReaderDeaths) return { kind: "error", failure: poisonJob };
  const notBeforeMs = nowMs + retryDelayMs * 2 ** (attempts - 1);
  if (failure.retryable && attempts < maxAttempts && notBeforeMs < deadlineMs) {
    return { kind: "retry", notBeforeMs };
  }
  return { kind: "error", failure };
}

const poisonJob: JobFailure = {
  code: "poison_job",
  message: "the search crashed its reader thread twice, so it is not retried",
  status: 500,
};

export const deadlinePassed: JobFailure = {
  code: "deadline",
  message: "the job exceeded its deadline; submit it again, or narrow its query or window",
  status: 504,
};

export const noSlot: JobFailure = {
  code: "no_slot",
  message: "no node had a free slot before the job's deadline",
  status: 504,
  hint: "retry later, with fewer jobs at a time; the operator can raise EARSHOT_NODE_CONCURRENCY or add nodes",
  retryable: true,
};

export const noNode: JobFailure = {
  code: "no_node",
  message: "no node that can run the job connected before its deadline",
  status: 504,
  hint: "retry later; GET /v1/nodes lists the connected nodes",
  retryable: true,
};

export const pageNodeMissing: JobFailure = {
  code: "no_node",
  message: "the previous page's node is not connected, and no other node can continue it",
  status: 504,
  hint: "retry later, or submit the search without next_cursor",
  retryable: true,
};

export const nodeLost: LeaseFailure = {
  code: "node_lost",
  message: "the node that ran the search was lost in every attempt; submit the job again",
  status: 500,
  retryable: true,
};
