import { expect, test } from "vitest";
import type { UsageBucket, UsageResponse } from "../../../../src/http/dashboard/contract/usage.ts";
import {
  answerTimes,
  answerTimesLabel,
  axisTexts,
  requestStacks,
  requestsLabel,
} from "./buckets.ts";
import { shownUsage } from "./selection.ts";

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 10, 21);

const makeUsage = (...buckets: readonly Partial<UsageBucket>[]): UsageResponse => {
  const whole = buckets.map((bucket, index) => ({
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

test("the usage plot stacks all requests, those that did not fail, and those that were answered", () => {
  const { times, stacks } = requestStacks(makeUsage({ requests: 10, refused: 2, failed: 1 }, {}));
  expect(times).toEqual([(startMs + hourMs / 2) / 1_000, (startMs + 1.5 * hourMs) / 1_000]);
  expect(stacks).toEqual([
    [10, 0],
    [9, 0],
    [7, 0],
  ]);
});

test("the usage plot uses a linear scale unless outliers make typical answer times unreadable", () => {
  const { lines, isWide } = answerTimes(
    makeUsage({ p50_ms: 38, p99_ms: 240 }, {}, { p50_ms: 0, p99_ms: 9 }),
  );
  expect(isWide).toBe(false);
  expect(lines).toEqual([
    [38, null, 1],
    [240, null, 9],
  ]);
  expect(answerTimes(makeUsage({ p50_ms: 38, p99_ms: 45_000 })).isWide).toBe(true);
});

test("a selected time is shown by the buckets that it overlaps, with hours on the axis", () => {
  const usage = {
    ...makeUsage({ p50_ms: 1, p99_ms: 2 }, { requests: 3 }, { requests: 4, p99_ms: 90 }, {}),
    range: "7d",
  } as const;
  const shown = shownUsage(usage, { fromMs: startMs + 1.5 * hourMs, toMs: startMs + 2.1 * hourMs });
  expect(shown.buckets.map(({ requests }) => requests)).toEqual([3, 4]);
  expect(shown.range).toBe("24h");
  expect(requestsLabel(shown)).toBe(
    "Requests over the selected time: 7 in total, at most 4 in one bar, 0 refused, 0 failed",
  );
  expect(answerTimesLabel(shown)).toBe(
    "Response time over the selected time: at most 90 ms in one bucket",
  );
});

test("the usage plots are described in text", () => {
  const whole = (usage: UsageResponse) => shownUsage(usage, null);
  expect(requestsLabel(whole(makeUsage({ requests: 10, refused: 2, failed: 1 })))).toBe(
    "Requests over 24 hours: 10 in total, at most 10 in one bar, 2 refused, 1 failed",
  );
  expect(answerTimesLabel(whole(makeUsage({ p50_ms: 38, p99_ms: 240 })))).toBe(
    "Response time over 24 hours: p50 38 ms, p99 240 ms, at most 240 ms in one bucket",
  );
  expect(answerTimesLabel(whole(makeUsage({})))).toBe("Response time over 24 hours: no searches");
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
