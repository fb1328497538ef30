import { expect, test } from "vitest";
import type { JobStatus } from "../../jobs/job.ts";
import { makeJob } from "./job.test-support.ts";
import { jobSteps } from "./steps.ts";

const stepTexts = (overrides: Partial<JobStatus>): unknown[] =>
  jobSteps(makeJob(overrides)).map(({ text }) => text);

test("a finished job's steps are submission, node and duration", () => {
  const steps = jobSteps(makeJob());
  expect(steps.map(({ text, detail, at }) => [text, detail, at?.slice(17)])).toEqual([
    ["Received, saved to disk", undefined, "00.000Z"],
    ["Started on this server", undefined, "00.002Z"],
    ["Done: 20 results", "9 ms after submission", "00.009Z"],
  ]);
});

test("a received job's steps report that it is waiting for a node", () => {
  expect(
    stepTexts({ status: "received", node: null, started_at: null, finished_at: null }),
  ).toEqual(["Received, saved to disk", "Waiting for a node"]);
});

test("a job's steps include failed attempts", () => {
  expect(stepTexts({ status: "in progress", attempts: 3, finished_at: null })).toEqual([
    "Received, saved to disk",
    "Started on this server",
    "2 attempts failed and were retried",
    "Searching",
  ]);
  expect(stepTexts({ status: "error(retrying)", finished_at: null }).at(-1)).toBe(
    "Attempt 1 failed; retrying automatically",
  );
});

test("a failed job's steps show the error with its hint", () => {
  const error = "x.example returned 503; retry later; or ask the archive";
  expect(jobSteps(makeJob({ status: "error", error, count: null })).at(-1)).toMatchObject({
    tone: "danger",
    text: "Failed: x.example returned 503",
    detail: "Retry later; or ask the archive.",
  });
});

test("the steps of an expired job end with Done and Result expired", () => {
  expect(stepTexts({ status: "expired" }).slice(-2)).toEqual(["Done", "Result expired"]);
});
