import type { JobStatus } from "../../jobs/job.ts";

/** A done job. */
export const jobOf = (special: Partial<JobStatus> = {}): JobStatus => ({
  uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
  status: "done",
  error: "",
  platform: "social",
  type: "social",
  method: "searchbyquery",
  query: "comet",
  canonical_query: "comet",
  sources: [],
  node: "embedded",
  evidence: "none",
  count: 20,
  complete: true,
  coverage: null,
  warnings: [],
  submitted_at: "2026-01-31T12:00:00.000Z",
  started_at: "2026-01-31T12:00:00.002Z",
  finished_at: "2026-01-31T12:00:00.009Z",
  expires_at: "2026-02-01T12:00:00.009Z",
  attempts: 1,
  next_cursor: null,
  ...special,
});
