import { expect, onTestFinished, test } from "vitest";
import { openTestUsage } from "../../../testkit/service/usage.ts";
import { printLatencies, recordLatency } from "../../accounts/usage/latency-histogram.ts";
import type { UsageRow } from "../../accounts/usage/operations.ts";
import type { UsageResponse } from "./contract/usage.ts";
import { rangeNames, ranges } from "./ranges.ts";
import { dashboardKeyId, usageResponse } from "./usage-response.ts";

const nowMs = Date.UTC(2026, 9, 25, 13, 37, 12);

async function usageFor(
  rows: readonly Partial<UsageRow>[],
  params: { range?: UsageResponse["range"]; keyId?: string | null; accountId?: string } = {},
): Promise<UsageResponse> {
  const usage = openTestUsage();
  onTestFinished(usage.remove);
  usage.addKey("key1", "one");
  usage.addKey("key2", "one");
  usage.addKey("old", "one");
  usage.database.run("UPDATE api_key SET revoked = 1 WHERE id = 'old'");
  await usage.store.write("addUsage", {
    rows: rows.map((row) => ({
      accountId: "one",
      bucketMs: Date.UTC(2026, 9, 25, 13, 30),
      keyId: "key1",
      method: "",
      calls: 1,
      refused: 0,
      failed: 0,
      posts: 0,
      latencies: "",
      ...row,
    })),
    uses: [],
  });
  const { range = "24h", keyId = null, accountId = "one" } = params;
  return await usageResponse(usage.store, { accountId, range, keyId }, nowMs);
}

test.each(rangeNames)(
  "the usage covers all of %s with adjacent buckets, the last of which is still open",
  async (range) => {
    const { buckets, bucket_ms, from } = await usageFor([], { range });
    const starts = buckets.map(({ start }) => Date.parse(start));
    expect(starts).toHaveLength(ranges[range].spanMs / bucket_ms);
    expect(starts[0]).toBe(Date.parse(from));
    for (const [index, start] of starts.entries()) {
      expect(start).toBe((starts[0] ?? 0) + index * bucket_ms);
      expect(start % bucket_ms).toBe(0);
    }
    const last = starts.at(-1) ?? 0;
    expect(last).toBeLessThanOrEqual(nowMs);
    expect(last + bucket_ms).toBeGreaterThan(nowMs);
  },
);

test.each(rangeNames)(
  "the usage includes the first quarter-hour of %s, but not the one before",
  async (range) => {
    const { from } = await usageFor([], { range });
    const firstMs = Date.parse(from);
    const { totals, buckets } = await usageFor(
      [{ bucketMs: firstMs - 900_000, calls: 100 }, { bucketMs: firstMs, calls: 10 }, { calls: 1 }],
      { range },
    );
    expect(totals.requests).toBe(11);
    expect(buckets[0]?.requests).toBe(10);
    expect(buckets.at(-1)?.requests).toBe(1);
    expect(buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(11);
  },
);

test("the usage lists searches by method, with percentiles over all quarter-hours", async () => {
  const histogram = (ms: readonly number[]) => {
    const latencies = new Map<number, number>();
    for (const latency of ms) recordLatency(latencies, latency);
    return printLatencies(latencies);
  };
  const { totals, methods } = await usageFor([
    { method: "", calls: 5, refused: 2, failed: 1 },
    { method: "searchbyquery", calls: 3, posts: 12, latencies: histogram([10, 10, 10]) },
    {
      method: "searchbyquery",
      bucketMs: Date.UTC(2026, 9, 25, 2),
      keyId: "key2",
      calls: 2,
      failed: 1,
      posts: 1,
      latencies: histogram([1_000, 1_000]),
    },
    { method: "getbyid", calls: 1, posts: 1, latencies: histogram([100]) },
  ]);
  expect(totals).toMatchObject({
    requests: 5,
    refused: 2,
    failed: 1,
    searches: 6,
    searches_failed: 1,
    posts: 14,
  });
  expect(methods.map(({ method, searches, posts }) => ({ method, searches, posts }))).toEqual([
    { method: "searchbyquery", searches: 5, posts: 13 },
    { method: "getbyid", searches: 1, posts: 1 },
  ]);
  const [byQuery] = methods;
  expect(byQuery?.requests).toBe(0);
  expect(byQuery?.p50_ms).toBeGreaterThan(9.5);
  expect(byQuery?.p50_ms).toBeLessThan(10.5);
  expect(byQuery?.p99_ms).toBeGreaterThan(950);
  expect(byQuery?.p99_ms).toBeLessThan(1_050);
});

test("the usage can be filtered by key, and excludes other accounts", async () => {
  const rows = [
    { keyId: "key1", calls: 3 },
    { keyId: "key2", calls: 4 },
    { accountId: "two", keyId: "key3", calls: 50 },
  ];
  expect((await usageFor(rows)).totals.requests).toBe(7);
  expect((await usageFor(rows, { keyId: "key2" })).totals.requests).toBe(4);
  expect((await usageFor(rows, { keyId: "key3" })).totals.requests).toBe(0);
  const otherUsage = await usageFor(rows, { accountId: "two" });
  expect(otherUsage.totals.requests).toBe(50);
  expect(otherUsage.keys).toEqual([]);
});

test("the usage names valid keys, ended keys with usage, and the dashboard", async () => {
  const answerNames = (answer: UsageResponse) =>
    answer.keys.map(({ name, ended }) => [name, ended]);
  expect(answerNames(await usageFor([]))).toEqual([
    ["key1", false],
    ["key2", false],
  ]);
  const usedKeys = [{ keyId: "old" }, { keyId: dashboardKeyId("one") }];
  const allNames = [
    ["key1", false],
    ["key2", false],
    ["old", true],
    ["Dashboard", false],
  ];
  expect(answerNames(await usageFor(usedKeys))).toEqual(allNames);
  expect(answerNames(await usageFor(usedKeys, { keyId: "key1" }))).toEqual(allNames);
});
