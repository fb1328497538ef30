import type {
  AnswerRequest,
  SourceAnswer,
  SourceWarning,
  UnsearchedSpan,
} from "../platforms/source.ts";
import type { EvidenceKind, ResultSignature } from "./result-signature.ts";

export type RequestedBounds = { startMs: number | null; endMs: number | null };

export const noBounds: RequestedBounds = { startMs: null, endMs: null };

export type SearchJobRequest = AnswerRequest & {
  requestedBounds?: RequestedBounds;
  unsearched?: UnsearchedSpan;
  /** Needs credentials that never leave the embedded node. */
  isLocalOnly?: true;
};

export const jobStates = [
  "received",
  "in progress",
  "done",
  "error",
  "error(retrying)",
  "cancelled",
  "expired",
] as const;
export type JobState = (typeof jobStates)[number];

/** `retryable` absent: unknown. */
export type JobFailure = {
  code: string;
  message: string;
  status: number;
  hint?: string;
  retryable?: boolean;
};

export type JobResult = SourceAnswer & { signature?: ResultSignature | null };

export type Job = {
  uuid: string;
  accountId: string;
  keyId: string;
  state: JobState;
  request: SearchJobRequest;
  canonicalQuery: string;
  attempts: number;
  submittedMs: number;
  deadlineMs: number;
  startedMs: number | null;
  finishedMs: number | null;
  expiresMs: number | null;
  node: string | null;
  result: JobResult | null;
  failure: JobFailure | null;
  warnings: readonly SourceWarning[];
};

export type JobSummary = Omit<Job, "result"> & {
  count: number | null;
  complete: boolean | null;
  evidence: EvidenceKind | null;
  /** Null if no source has a price. */
  microUsd: number | null;
};

export type ListPosition = { submittedMs: number; uuid: string };

export type JobChange = {
  id: number;
  uuid: string;
  state: JobState;
  attempts: number;
  atMs: number;
};
