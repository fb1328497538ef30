import type {
  AnswerRequest,
  SourceAnswer,
  SourceWarning,
  UnsearchedSpan,
} from "../platforms/source.ts";
import type { EvidenceKind, ResultSignature } from "./result-signature.ts";

/** What `start_time` and `end_time` of a submission say, Unix milliseconds; null when absent. */
export type RequestedBounds = { startMs: number | null; endMs: number | null };

export const noBounds: RequestedBounds = { startMs: null, endMs: null };

/** What a job asks, complete in itself: nothing of it is looked up again when it runs. */
export type SearchJobRequest = AnswerRequest & {
  /** The bounds that the window was narrowed by; none when absent. */
  asked?: RequestedBounds;
  /** The part of the requested time before the live window; none when absent. */
  unsearched?: UnsearchedSpan;
  /** Whether it needs credentials of its account, which are handed to no other node; absent when it does not. */
  isKeptHere?: true;
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

/** `retryable`: whether the same search can succeed later; unknown where it is left out. */
export type JobFailure = {
  code: string;
  message: string;
  status: number;
  hint?: string;
  retryable?: boolean;
};

/** What a node hands in for a finished job; a remote one signs it. */
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
  /** When the result goes. */
  expiresMs: number | null;
  node: string | null;
  result: JobResult | null;
  failure: JobFailure | null;
  /** Remarks known at submission; those of the result come on top. */
  warnings: readonly SourceWarning[];
};

/** A job in a list: how many posts its result holds and whether that is all there are; null while there is no result. */
export type JobSummary = Omit<Job, "result"> & {
  count: number | null;
  complete: boolean | null;
  /** What the node that made the result has shown for itself. */
  evidence: EvidenceKind | null;
};

/** Where in the list of an account's jobs, newest first, a job stands. */
export type ListPosition = { submittedMs: number; uuid: string };

/** A job that came to another state. `id` counts the changes of its account, also across restarts. */
export type JobChange = {
  id: number;
  uuid: string;
  state: JobState;
  attempts: number;
  atMs: number;
};
