import { expect, test } from "vitest";
import type { UsageBucket, UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import {
  axisTexts,
  requestStacks,
  requestsLabel,
  responseTimes,
  responseTimesLabel,
} from "./buckets.ts";
import { shownUsage } from "./selection.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 10, 21);

const makeUsage = (...buckets: readonly Partial<UsageBucket>[]): UsageResponse => {
  const fullBuckets = buckets.map((bucket, index) => ({
    start: new Date(startMs + index * hourMs).toISOString(),
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
    from: fullBuckets[0]?.start ?? "",
    to: new Date(startMs + buckets.length * hourMs).toISOString(),
    bucket_ms: hourMs,
    totals: {
      requests: 10,
      refused: 2,
      failed: 1,
      searches: 4,
      searches_failed: 1,
      posts: 80,
      p50_ms: fullBuckets[0]?.p50_ms ?? null,
      p99_ms: fullBuckets[0]?.p99_ms ?? null,
    },
    buckets: fullBuckets,
    methods: [],
    keys: [],
  };
};

test("the usage plot stacks all requests, those that did not fail, and those that were answered", () => {
  const { times, stacks } = requestStacks(makeUsage({ requests: 10, refused: 2, failed: 1 }, {}));
  expect(times).toEqual([(startMs + hourMs / 2) / 1_000, (startMs + 1.5 * hourMs) / 1_000]);
  expect(stacks).toEqual([
    [10, 0],
    [9, 0],
    [7, 0],
  ]);
});

test("the usage plot uses a linear scale unless outliers make typical response times unreadable", () => {
  const { lines, needsLogScale } = responseTimes(
    makeUsage({ p50_ms: 38, p99_ms: 240 }, {}, { p50_ms: 0, p99_ms: 9 }),
  );
  expect(needsLogScale).toBe(false);
  expect(lines).toEqual([
    [38, null, 1],
    [240, null, 9],
  ]);
  expect(responseTimes(makeUsage({ p50_ms: 38, p99_ms: 45_000 })).needsLogScale).toBe(true);
});

test("a selected time is shown by the buckets that it overlaps, with hours on the axis", () => {
  const usage = {
    ...makeUsage({ p50_ms: 1, p99_ms: 2 }, { requests: 3 }, { requests: 4, p99_ms: 90 }, {}),
    range: "7d",
  } as const;
  const selectedUsage = shownUsage(usage, {
    fromMs: startMs + 1.5 * hourMs,
    toMs: startMs + 2.1 * hourMs,
  });
  expect(selectedUsage.buckets.map(({ requests }) => requests)).toEqual([3, 4]);
  expect(selectedUsage.range).toBe("24h");
  expect(requestsLabel(selectedUsage)).toBe(
    "Requests over the selected time: 7 in total, at most 4 in one bar, 0 refused, 0 failed",
  );
  expect(responseTimesLabel(selectedUsage)).toBe(
    "Response time over the selected time: at most 90 ms in one bucket",
  );
});

test("the usage plots are described in text", () => {
  const unselectedUsage = (usage: UsageResponse) => shownUsage(usage, null);
  expect(requestsLabel(unselectedUsage(makeUsage({ requests: 10, refused: 2, failed: 1 })))).toBe(
    "Requests over 24 hours: 10 in total, at most 10 in one bar, 2 refused, 1 failed",
  );
  expect(responseTimesLabel(unselectedUsage(makeUsage({ p50_ms: 38, p99_ms: 240 })))).toBe(
    "Response time over 24 hours: p50 38 ms, p99 240 ms, at most 240 ms in one bucket",
  );
  expect(responseTimesLabel(unselectedUsage(makeUsage({})))).toBe(
    "Response time over 24 hours: no searches",
  );
});

test("days are labelled by number, with the month when it changes", () => {
  const days = [29, 30, 31, 32].map((day) => new Date(2026, 9, day).getTime());
  expect(axisTexts("7d", days).map((text) => /[a-z]/i.test(text))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
