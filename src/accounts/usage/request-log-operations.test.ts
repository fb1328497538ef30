import { expect, onTestFinished, test } from "vitest";
import { openTestUsage } from "../../../testkit/service/usage.ts";
import type { KeyRequest } from "./request-log-operations.ts";

function openLog() {
  const usage = openTestUsage();
  onTestFinished(usage.remove);
  usage.addKey("key1", "one");
  usage.addKey("key2", "two");
  const add = (requests: readonly KeyRequest[]) =>
    usage.store.write("addKeyRequests", { requests });
  const timesOf = async (accountId: string, keyId: string) =>
    (await usage.store.read("keyRequests", { accountId, keyId })).map(({ atMs }) => atMs);
  return { ...usage, add, timesOf };
}

const request = (keyId: string, atMs: number): KeyRequest => ({
  keyId,
  requestId: `request ${atMs}`,
  atMs,
  method: "GET",
  route: "/v1/nodes",
  status: 404,
  code: "not_found",
  durationMs: 3,
});

const times = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

test("stores the latest 100 requests of each key, in any order of writing", async () => {
  const { add, timesOf, database } = openLog();
  await add(times(60, 130).map((at) => request("key1", at)));
  await add(times(0, 60).map((at) => request("key1", at)));
  await add([request("key2", 5)]);
  expect(await timesOf("one", "key1")).toEqual(times(30, 130).toReversed());
  expect(await timesOf("two", "key2")).toEqual([5]);
  expect(database.get("SELECT count(*) AS rows FROM key_request")).toEqual({ rows: 101 });
});

test("lists the requests of one millisecond in the order in which they were written", async () => {
  const { add, store } = openLog();
  const ids = ["m", "z", "a", "q", "b"];
  const within = (requestIds: readonly string[]) =>
    requestIds.map((requestId) => ({ ...request("key1", 7), requestId }));
  await add(within(ids.slice(0, 3)));
  await add(within(ids.slice(3)));
  const listed = await store.read("keyRequests", { accountId: "one", keyId: "key1" });
  expect(listed.map(({ requestId }) => requestId)).toEqual(ids.toReversed());
});

test("drops the first written of more than 100 requests of one millisecond", async () => {
  const { add, store } = openLog();
  const ids = times(0, 130).map((number) => `${(number * 7) % 130}`);
  await add(ids.map((requestId) => ({ ...request("key1", 7), requestId })));
  const listed = await store.read("keyRequests", { accountId: "one", keyId: "key1" });
  expect(listed.map(({ requestId }) => requestId)).toEqual(ids.slice(30).toReversed());
});

test("stores a repeated request once, and none of an unknown key", async () => {
  const { add, store } = openLog();
  await add([request("key1", 7), request("unknown", 7)]);
  await add([request("key1", 7)]);
  const { keyId: _keyId, ...logged } = request("key1", 7);
  expect(await store.read("keyRequests", { accountId: "one", keyId: "key1" })).toEqual([logged]);
});

test("has no requests of a key for another account", async () => {
  const { add, timesOf } = openLog();
  await add([request("key1", 7)]);
  expect(await timesOf("two", "key1")).toEqual([]);
});

test("deletes requests before a time", async () => {
  const { add, timesOf, store } = openLog();
  await add(times(0, 10).map((at) => request("key1", at)));
  expect(await store.write("dropKeyRequests", { beforeMs: 8 })).toBe(false);
  expect(await timesOf("one", "key1")).toEqual([9, 8]);
});
