import { expect, test } from "vitest";
import { createGatheredUsage } from "./gathered-usage.ts";

const call = {
  accountId: "one",
  keyId: "key",
  method: "searchbyquery",
  bucketMs: 0,
  isRefused: false,
  hasFailed: false,
  posts: 3,
  latencyMs: 20,
} as const;

test("usage totals of an account stay correct when there are too many keys", () => {
  const gathered = createGatheredUsage(10);
  for (let key = 0; key < 1_000; key += 1) gathered.add({ ...call, keyId: `key${key}` });
  const rows = gathered.take();
  expect(rows.length).toBeLessThanOrEqual(11);
  expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(1_000);
  expect(rows.reduce((sum, { posts }) => sum + posts, 0)).toBe(3_000);
  expect(gathered.takeLost()).toBe(0);
});

test("the number of uncounted calls is reported when there are too many accounts", () => {
  const gathered = createGatheredUsage(10);
  for (let value = 0; value < 1_000; value += 1)
    gathered.add({ ...call, accountId: `account${value}` });
  expect(gathered.take()).toHaveLength(20);
  expect(gathered.takeLost()).toBe(980);
  expect(gathered.takeLost()).toBe(0);
});

test("usage rows that could not be written are added to those counted since", () => {
  const gathered = createGatheredUsage(10);
  gathered.add(call);
  const rows = gathered.take();
  gathered.add({ ...call, hasFailed: true });
  gathered.restore(rows);
  expect(gathered.take()).toMatchObject([{ calls: 2, failed: 1, posts: 6, latencies: "w:2" }]);
  expect(gathered.take()).toEqual([]);
});
