import type { ProblemDefinition } from "./definition.ts";

export const serverProblems = {
  internal: {
    status: 500,
    title: "Internal error",
    retryable: false,
    hint: "report it with request_id, which identifies it in the log",
    cause: "An unexpected error in Earshot, logged under the `request_id`.",
    fix: ["Report it with the `request_id`. Repeating the request is unlikely to help."],
    example: {
      request: "A request that triggers an unexpected error.",
      detail: "unexpected error; see the log",
    },
  },
  job_failed: {
    status: 500,
    title: "Job failed",
    retryable: false,
    hint: "submit the search again; if it fails again, report its uuid",
    cause:
      "The job failed for a reason other than a platform or its deadline. [Job failures](job-failures.md) lists the causes; this one is logged under the job's uuid.",
    fix: [
      "Follow the fix of the cause. If it is `internal_error`, submit the search again; if it fails again, report the uuid.",
    ],
    example: {
      request: "The result of a job that failed with an internal error.",
      detail: "internal error",
    },
  },
  upstream_failed: {
    status: 502,
    title: "Upstream failed",
    retryable: true,
    hint: "submit the search again later",
    cause:
      "A platform that the job needs failed, refused the request or has no quota left. `detail` says how, `errors` has the [code of the cause](job-failures.md), and `retryable` is false if the platform refused.",
    fix: [
      "If `retryable` is true, submit the search again later.",
      "If `detail` names a credential, its owner (you or the operator) must renew it.",
    ],
    example: {
      request: "The result of a job whose platform failed.",
      detail: "public.api.bsky.app returned 503",
      errors: [{ code: "upstream_failed", message: "public.api.bsky.app returned 503" }],
    },
  },
  overloaded: {
    status: 503,
    title: "Queue full",
    retryable: true,
    cause: "10,000 jobs (`EARSHOT_MAX_WAITING_JOBS`) are waiting for a node.",
    fix: [
      "Repeat the request after `Retry-After` seconds, then with exponential backoff.",
      "Operator: see [EarshotJobsWaiting](../operations.md#earshotjobswaiting).",
    ],
    example: {
      request: "A submission while the queue, limited to one job, is full.",
      detail: "too many jobs are waiting",
      hint: "retry in a few seconds",
      isSubmission: true,
    },
  },
  unavailable: {
    status: 503,
    title: "Temporarily unavailable",
    retryable: true,
    hint: "send the same request again after Retry-After",
    cause:
      "The store cannot be written, the archive cannot be read, the disk is full, the server is stopping, or too many connections are open.",
    fix: [
      "Repeat the request after `Retry-After` seconds. With an `Idempotency-Key`, a search is not submitted twice.",
      "Operator: `GET /readyz` and the log name the cause, [Operations](../operations.md) the fix.",
    ],
    example: {
      request: "A submission while the store cannot be written.",
      detail: "the control store failed: disk I/O error",
      isSubmission: true,
    },
  },
  deadline_exceeded: {
    status: 504,
    title: "Deadline exceeded",
    retryable: true,
    cause:
      "A job did not finish within 120 seconds of its submission (`EARSHOT_JOB_DEADLINE`), or a count produced no bucket within 10 (`EARSHOT_COUNT_DEADLINE`). A search that found anything ends as `done` instead, incomplete and with a cursor.",
    fix: [
      "Repeat the request with fewer concurrent searches.",
      "Add a rarer word, or narrow the window with `start_time` and `end_time`.",
    ],
    example: {
      request: "A count that timed out before its first bucket.",
      detail: "timed out before the first bucket was counted",
      hint: "narrow start_time and end_time, use a finer granularity, or raise EARSHOT_COUNT_DEADLINE",
    },
  },
} satisfies Record<string, ProblemDefinition>;
