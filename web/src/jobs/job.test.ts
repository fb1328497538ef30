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
const shown = (known: JobSummary, reported: JobFeedEvent): string =>
  afterEvent(known, reported).status;

test("applies an event newer than the list", () => {
  expect(shown(job("received", 0), event("in progress", 1))).toBe("in progress");
  expect(shown(job("error(retrying)", 1), event("in progress", 2))).toBe("in progress");
  expect(shown(job("in progress", 1), event("done", 1))).toBe("done");
  expect(shown(job("done", 1), event("expired", 1))).toBe("expired");
});

test("ignores an older event", () => {
  expect(shown(job("done", 1), event("in progress", 1))).toBe("done");
  expect(shown(job("in progress", 2), event("error(retrying)", 1))).toBe("in progress");
  expect(shown(job("expired", 1), event("done", 1))).toBe("expired");
});

test("returns a job without an event unchanged", () => {
  const known = job("done", 1);
  expect(afterEvent(known, undefined)).toBe(known);
});
