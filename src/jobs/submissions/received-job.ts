import { timeAfter } from "../../lib/latest-time.ts";
import type { Job } from "../job.ts";
import type { NewJob } from "./submission.ts";
import type { JobInsertion } from "./submission-operations.ts";

export type InsertedRow = Omit<JobInsertion, "request" | "answer">;

export function receivedJob(
  submittedMs: number,
  uuid: string,
  job: NewJob,
  lifetimeMs: number,
): Job {
  const { accountId, keyId, request, canonicalQuery, warnings } = job;
  return {
    uuid: uuid.toLowerCase(),
    accountId,
    keyId,
    state: "received",
    request,
    canonicalQuery,
    attempts: 0,
    submittedMs,
    deadlineMs: timeAfter(submittedMs, lifetimeMs),
    startedMs: null,
    finishedMs: null,
    expiresMs: null,
    node: null,
    result: null,
    failure: null,
    warnings,
  };
}

export function jobRow(job: Job): Omit<InsertedRow, "idempotency"> {
  const { uuid, accountId, keyId, canonicalQuery, submittedMs, deadlineMs } = job;
  const warnings = JSON.stringify(job.warnings);
  return { uuid, accountId, keyId, canonicalQuery, warnings, submittedMs, deadlineMs };
}
