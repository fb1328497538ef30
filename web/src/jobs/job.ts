import type { NodeStatusResponse } from "../../../src/http/dashboard/contract/status.ts";
import type { Method } from "../../../src/platforms/methods.ts";
import type { AccessMethod, SearchPlatform } from "../../../src/platforms/source.ts";
import type { Platform } from "../../../src/posts/post.ts";
import type { JobStateName } from "../components/state.tsx";

/** Responses of /v1 (docs/api.md). */
export type JobSummary = JobHead & {
  /** Null if the dashboard submitted it. */
  key: string | null;
  /** Null if it has no price. */
  cost_usd: number | null;
};

export type JobHead = {
  uuid: string;
  status: JobStateName;
  error: string;
  platform: SearchPlatform;
  type: string;
  method: Method;
  query: string;
  canonical_query: string;
  /** Null until the job starts; `embedded` is the server's own node. */
  node: string | null;
  /** As it was when the job ran. */
  evidence: NodeStatusResponse["evidence"] | null;
  count: number | null;
  complete: boolean | null;
  warnings: readonly JobWarning[];
  submitted_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string | null;
  attempts: number;
};

export type JobStatus = JobHead & {
  sources: readonly JobSource[];
  coverage: JobCoverage | null;
  next_cursor: string | null;
};

export type JobWarning = { code: string; message: string; hint?: string };

export type JobSource = {
  platform: Platform;
  via: AccessMethod;
  from: string | null;
  to: string;
  count: number;
  cost?: {
    post_reads: number;
    user_reads: number;
    requests: number;
    usd: number;
    month: { name: string; post_reads: number; most_post_reads: number } | null;
  };
};

export type JobSpan = { from: string | null; to: string };

export type JobCoverage = {
  from: string | null;
  to: string;
  complete: boolean;
  gaps: readonly JobSpan[];
  truncated: boolean;
  platforms: readonly {
    platform: Platform;
    collection: "posts" | "likes" | "reposts" | "labels";
    complete: boolean;
    held: readonly JobSpan[];
    gaps: readonly JobSpan[];
    truncated: boolean;
  }[];
};

export type JobList = { jobs: readonly JobSummary[]; next_cursor: string | null };

export type JobFeedEvent = { uuid: string; status: JobStateName; attempts: number; at: string };

const runningStateNames: readonly JobStateName[] = ["received", "in progress", "error(retrying)"];

export const runningStates = runningStateNames.join(",");

export function isRunning(state: JobStateName): boolean {
  return runningStateNames.includes(state);
}

/** The event may be newer or older than the list. */
export function afterEvent<Job extends JobHead>(job: Job, event: JobFeedEvent | undefined): Job {
  if (event === undefined || !isLater(event, job)) return job;
  return { ...job, status: event.status, attempts: event.attempts };
}

const ranks: Readonly<Record<JobStateName, number>> = {
  received: 0,
  "in progress": 1,
  "error(retrying)": 2,
  done: 3,
  error: 3,
  cancelled: 3,
  expired: 4,
};

function isLater(event: JobFeedEvent, job: JobHead): boolean {
  if (ranks[event.status] >= ranks.done || ranks[job.status] >= ranks.done) {
    return ranks[event.status] > ranks[job.status];
  }
  if (event.attempts !== job.attempts) return event.attempts > job.attempts;
  return ranks[event.status] > ranks[job.status];
}
