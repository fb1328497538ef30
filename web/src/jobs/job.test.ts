import { expect, test } from "vitest";
import { afterEvent, type JobFeedEvent, type JobSummary } from "./job.ts";

const at = "2026-01-31T12:00:00.000Z";
// No other fields are read.
const job = (status: JobSummary["status"], attempts: number) =>
  ({ uuid: "a", status, attempts }) as JobSummary;
const event = (status: JobFeedEvent["status"], attempts: number): JobFeedEvent => ({
  uuid: "a",
  status,
  attempts,
  at,
});
const statusAfter = (job: JobSummary, event: JobFeedEvent): string => afterEvent(job, event).status;

test("an event that is newer than the listed job is applied", () => {
  expect(statusAfter(job("received", 0), event("in progress", 1))).toBe("in progress");
  expect(statusAfter(job("error(retrying)", 1), event("in progress", 2))).toBe("in progress");
  expect(statusAfter(job("in progress", 1), event("done", 1))).toBe("done");
  expect(statusAfter(job("done", 1), event("expired", 1))).toBe("expired");
});

test("an event that is older than the listed job is ignored", () => {
  expect(statusAfter(job("done", 1), event("in progress", 1))).toBe("done");
  expect(statusAfter(job("in progress", 2), event("error(retrying)", 1))).toBe("in progress");
  expect(statusAfter(job("expired", 1), event("done", 1))).toBe("expired");
});

test("a job without an event is returned unchanged", () => {
  const done = job("done", 1);
  expect(afterEvent(done, undefined)).toBe(done);
});
