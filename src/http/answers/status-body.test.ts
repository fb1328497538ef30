import { describe, expect, test } from "vitest";
import type { Job } from "../../jobs/job.ts";
import { request, result } from "../../jobs/test-jobs.ts";
import type { SourceCost } from "../../platforms/source.ts";
import { status as statusSchema } from "../schemas/job-status.ts";
import { nextPageCursor } from "./next-cursor.ts";
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
  test("the coverage in a status lists coverage and gaps per platform and collection", () => {
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

  test("the coverage in a status has no platforms if an older version stored the result", () => {
    const { truncated, platforms, ...coverage } = result.coverage;
    const body = statusBody({ ...job, result: { ...result, coverage } }, null);
    expect(statusSchema.parse(body)).toEqual(body);
    expect(body.coverage).toMatchObject({ truncated: false, platforms: [], gaps: [{}] });
  });

  test("the coverage in a status is null until the job is done", () => {
    expect(statusBody({ ...job, state: "received", result: null }, null).coverage).toBeNull();
  });
});

describe("the sources in a status", () => {
  const source = { platform: "x", via: "api", fromMs: null, toMs: 2, count: 2 } as const;
  const bodyWith = (cost: SourceCost) =>
    statusBody({ ...job, result: { ...result, sources: [{ ...source, cost }] } }, null);

  test("the sources in a status contain their cost and the budget", () => {
    const month = { name: "2026-01", postReads: 1_240, maxPostReads: 10_000 };
    const body = bodyWith({ postReads: 20, requests: 1, microUsd: 100_000, month });
    expect(statusSchema.parse(body)).toEqual(body);
    expect(body.sources).toEqual([
      {
        platform: "x",
        via: "api",
        from: null,
        to: "1970-01-01T00:00:00.002Z",
        count: 2,
        cost: {
          post_reads: 20,
          user_reads: 0,
          requests: 1,
          usd: 0.1,
          month: { name: "2026-01", post_reads: 1_240, most_post_reads: 10_000 },
        },
      },
    ]);
  });

  test("the sources in a status have no month without a budget, and no cost if nothing is billed", () => {
    const body = bodyWith({ userReads: 3, microUsd: 30_000, month: null });
    expect(statusSchema.parse(body)).toEqual(body);
    expect(body.sources[0]?.cost).toMatchObject({ user_reads: 3, usd: 0.03, month: null });
    expect(statusBody(job, null).sources[0]).not.toHaveProperty("cost");
  });
});

test("a position that is too long for a cursor is reported as a warning", () => {
  const cursor = "c".repeat(5_000);
  const nextPosition = {
    platform: "x",
    credentialId: null,
    cursor,
    lastKey: null,
    skip: 0,
  } as const;
  const truncatedJob = { ...job, result: { ...result, next: null, nextPosition } };
  const cursorKey = new Uint8Array(32);
  expect(nextPageCursor({ cursorKey }, truncatedJob)).toBeNull();
  const codes = statusBody(truncatedJob, null).warnings.map(({ code }) => code);
  expect(codes).toEqual(["incomplete_coverage", "cursor_too_long"]);
});

test("the coverage header is a dictionary, without a start if the window is unbounded", () => {
  const boundedCoverage = { ...result.coverage, fromMs: 0, complete: true, gaps: [] };
  expect(coverageField(false, result.coverage)).toBe(
    'complete=?0, to="1970-01-01T00:00:00.002Z", gaps=1',
  );
  expect(coverageField(true, boundedCoverage)).toBe(
    'complete, from="1970-01-01T00:00:00.000Z", to="1970-01-01T00:00:00.002Z", gaps=0',
  );
  expect(coverageField(false, boundedCoverage)).toMatch(/^complete=\?0, /);
});
