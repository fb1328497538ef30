import { expect, test } from "vitest";
import type { JobStatus } from "../../jobs/job.ts";
import { jobOf } from "./job.test-support.ts";
import { stepsOf } from "./steps.ts";

const told = (special: Partial<JobStatus>): unknown[] =>
  stepsOf(jobOf(special)).map(({ text }) => text);

test("a job that is done tells when it came, who took it, and how long it took", () => {
  const steps = stepsOf(jobOf());
  expect(steps.map(({ text, detail, at }) => [text, detail, at?.slice(17)])).toEqual([
    ["Received, durable on disk", undefined, "00.000Z"],
    ["Taken by embedded", undefined, "00.002Z"],
    ["Done: 20 records", "9 ms after it was received", "00.009Z"],
  ]);
});

test("one that waits says what for", () => {
  expect(told({ status: "received", node: null, started_at: null, finished_at: null })).toEqual([
    "Received, durable on disk",
    "Waits for a node",
  ]);
});

test("attempts that failed are told", () => {
  expect(told({ status: "in progress", attempts: 3, finished_at: null })).toEqual([
    "Received, durable on disk",
    "Taken by embedded",
    "2 attempts failed and were made again",
    "Searching",
  ]);
  expect(told({ status: "error(retrying)", finished_at: null }).at(-1)).toBe(
    "Attempt 1 failed; the next one follows by itself",
  );
});

test("a failure is told with what to do", () => {
  const error = "x.example answers with 503; search again later; or ask the archive";
  expect(stepsOf(jobOf({ status: "error", error, count: null })).at(-1)).toMatchObject({
    tone: "danger",
    text: "Failed: x.example answers with 503",
    detail: "Search again later; or ask the archive.",
  });
});

test("a result that is gone was there once", () => {
  expect(told({ status: "expired" }).slice(-2)).toEqual(["Done", "The result is no longer kept"]);
});
