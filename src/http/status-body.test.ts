import { describe, expect, test } from "vitest";
import type { Job } from "../jobs/job.ts";
import { request, result } from "../jobs/test-jobs.ts";
import { status as statusSchema } from "./schemas/answers.ts";
import { coverageField, statusBody } from "./status-body.ts";

const job: Job = {
  uuid: "0f8fad5b-d9cb-469f-a165-70867728950e",
  accountId: "one",
  keyId: "key",
  state: "done",
  request,
  canonicalQuery: "comet",
  attempts: 1,
  submittedMs: 0,
  deadlineMs: 1,
  startedMs: 0,
  finishedMs: 1,
  expiresMs: 2,
  node: "embedded",
  result,
  failure: null,
  warnings: [],
};

describe("the coverage in a status", () => {
  test("tells what is held of each platform and collection, and what is not", () => {
    const body = statusBody(job, null);
    expect(statusSchema.parse(body)).toEqual(body);
    expect(body.coverage).toEqual({
      from: null,
      to: "1970-01-01T00:00:00.002Z",
      complete: false,
      gaps: [{ from: null, to: "1970-01-01T00:00:00.001Z" }],
      truncated: false,
      platforms: [
        {
          platform: "x",
          collection: "posts",
          complete: false,
          held: [{ from: "1970-01-01T00:00:00.001Z", to: "1970-01-01T00:00:00.002Z" }],
          gaps: [{ from: null, to: "1970-01-01T00:00:00.001Z" }],
          truncated: false,
        },
      ],
    });
  });

  test("of a result from before platforms were told one by one lists none", () => {
    const { truncated, platforms, ...coverage } = result.coverage;
    const body = statusBody({ ...job, result: { ...result, coverage } }, null);
    expect(statusSchema.parse(body)).toEqual(body);
    expect(body.coverage).toMatchObject({ truncated: false, platforms: [], gaps: [{}] });
  });

  test("is null until the job is done", () => {
    expect(statusBody({ ...job, state: "received", result: null }, null).coverage).toBeNull();
  });
});

test("the header field is a dictionary, without a start where there is none", () => {
  const bounded = { ...result.coverage, fromMs: 0, complete: true, gaps: [] };
  expect(coverageField(false, result.coverage)).toBe(
    'complete=?0, to="1970-01-01T00:00:00.002Z", gaps=1',
  );
  expect(coverageField(true, bounded)).toBe(
    'complete, from="1970-01-01T00:00:00.000Z", to="1970-01-01T00:00:00.002Z", gaps=0',
  );
  expect(coverageField(false, bounded)).toMatch(/^complete=\?0, /);
});
