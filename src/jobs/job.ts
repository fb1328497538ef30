import type { Position } from "../archive/archive.ts";
import type { Platform } from "../posts/post.ts";

/** `social` stands for all platforms. */
export type SearchPlatform = "social" | Platform;

export const sourceTypes = ["social", "social-credential", "social-api"] as const;
export type SourceType = (typeof sourceTypes)[number];

export type SearchMethod = "searchbyquery" | "searchbyfullarchive";

/** What a job asks, complete in itself: nothing of it is looked up again when it runs. Times are Unix milliseconds. */
export type SearchJobRequest = {
  platform: SearchPlatform;
  type: SourceType;
  method: SearchMethod;
  query: string;
  maxResults: number;
  /** The window after method, arguments and cursor; `fromMs` inclusive (null: unbounded), `toMs` exclusive. */
  fromMs: number | null;
  toMs: number;
  after: Position | null;
};

export type JobState =
  | "received"
  | "in progress"
  | "done"
  | "error"
  | "error(retrying)"
  | "cancelled"
  | "expired";

/** A remark that travels with a job to its status: something the caller should know, not a fault. */
export type JobWarning = {
  code: string;
  message: string;
  offset?: number;
  length?: number;
  hint?: string;
};

export type CoverageGap = { fromMs: number | null; toMs: number };

/** What the sources of a job hold of its window. */
export type JobCoverage = {
  fromMs: number | null;
  toMs: number;
  complete: boolean;
  gaps: readonly CoverageGap[];
};

export type JobSource = {
  platform: Platform;
  via: "archive";
  fromMs: number | null;
  toMs: number;
  count: number;
};

export type JobFailure = { code: string; message: string; status: number };

/** What a node hands in for a finished job. */
export type JobResult = {
  positions: readonly Position[];
  next: Position | null;
  complete: boolean;
  coverage: JobCoverage;
  sources: readonly JobSource[];
  warnings: readonly JobWarning[];
};

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
  warnings: readonly JobWarning[];
};
