import { expect, test } from "vitest";
import type { UsageAnswer, UsageBucket } from "../../../../src/http/dashboard/contract.ts";
import { answerTimes, axisTexts, requestStacks, requestsFinding, timesFinding } from "./buckets.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 10, 21);

const usageOf = (...buckets: readonly Partial<UsageBucket>[]): UsageAnswer => {
  const whole = buckets.map((bucket, at) => ({
    start: new Date(startMs + at * hourMs).toISOString(),
    requests: 0,
    refused: 0,
    failed: 0,
    searches: 0,
    p50_ms: null,
    p99_ms: null,
    ...bucket,
  }));
  return {
    range: "24h",
    from: whole[0]?.start ?? "",
    to: new Date(startMs + buckets.length * hourMs).toISOString(),
    bucket_ms: hourMs,
    totals: {
      requests: 10,
      refused: 2,
      failed: 1,
      searches: 4,
      searches_failed: 1,
      posts: 80,
      p50_ms: whole[0]?.p50_ms ?? null,
      p99_ms: whole[0]?.p99_ms ?? null,
    },
    buckets: whole,
    methods: [],
    keys: [],
  };
};

test("stacks all requests, those that did not fail, and those that were answered", () => {
  const { times, stacks } = requestStacks(usageOf({ requests: 10, refused: 2, failed: 1 }, {}));
  expect(times).toEqual([(startMs + hourMs / 2) / 1_000, (startMs + 1.5 * hourMs) / 1_000]);
  expect(stacks).toEqual([
    [10, 0],
    [9, 0],
    [7, 0],
  ]);
});

test("uses a linear scale while typical answer times stay readable", () => {
  const { lines, isWide } = answerTimes(
    usageOf({ p50_ms: 38, p99_ms: 240 }, {}, { p50_ms: 0, p99_ms: 9 }),
  );
  expect(isWide).toBe(false);
  expect(lines).toEqual([
    [38, null, 1],
    [240, null, 9],
  ]);
  expect(answerTimes(usageOf({ p50_ms: 38, p99_ms: 45_000 })).isWide).toBe(true);
});

test("describes the plots in text", () => {
  expect(requestsFinding(usageOf({ requests: 10 }))).toBe(
    "Requests over 24 hours: 10 in total, at most 10 in one bar, 2 refused, 1 failed",
  );
  expect(timesFinding(usageOf({ p50_ms: 38, p99_ms: 240 }))).toBe(
    "Answer time over 24 hours: p50 38 ms, p99 240 ms, at most 240 ms in one bucket",
  );
  expect(timesFinding(usageOf({}))).toBe("Answer time over 24 hours: no searches");
});

test("labels days by number, with the month when it changes", () => {
  const days = [29, 30, 31, 32].map((day) => new Date(2026, 9, day).getTime());
  expect(axisTexts("7d", days).map((text) => /[a-z]/i.test(text))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
