import type { JobFailure } from "./job.ts";
import type { LeaseFailure } from "./lease.ts";

export type AfterFailure =
  | { kind: "retry"; notBeforeMs: number }
  | { kind: "error"; failure: JobFailure };

export type FailedAttempt = {
  failure: LeaseFailure;
  attempts: number;
  readerDeaths: number;
  deadlineMs: number;
};

export type RetryRules = { maxAttempts: number; retryDelayMs: number };

export const threadDied = "thread_died";

const maxReaderDeaths = 2;

/**
 * Exponential from `retryDelayMs`, while attempts and time are left. A job that killed two reader
 * threads is not retried.
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

export const noSlot: JobFailure = {
  code: "no_slot",
  message: "the job waited until its deadline and none of the nodes had a free slot for it",
  status: 504,
  hint: "submit it again later, and fewer at a time; the operator can raise EARSHOT_NODE_CONCURRENCY or add nodes",
  retryable: true,
};

export const noNode: JobFailure = {
  code: "no_node",
  message: "no node that can run it was connected before its deadline",
  status: 504,
  hint: "submit it again later; /v1/nodes lists the connected nodes and what they can do",
  retryable: true,
};

export const nodeOfPageMissing: JobFailure = {
  code: "no_node",
  message: "the node that gave the page before is not connected, and no other can continue it",
  status: 504,
  hint: "submit the search again without next_cursor, or try again later",
  retryable: true,
};

export const nodeLost: LeaseFailure = {
  code: "node_lost",
  message: "the node that ran the search was lost in every attempt; submit the job again",
  status: 500,
  retryable: true,
};
