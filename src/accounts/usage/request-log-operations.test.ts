import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTestUsage } from "../../../testkit/service/usage.ts";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting } from "../../db/open.ts";
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

test("the request log stores the latest 100 requests of each key, in whatever order they are written", async () => {
  const { add, timesOf, database } = openLog();
  await add(times(60, 130).map((at) => request("key1", at)));
  await add(times(0, 60).map((at) => request("key1", at)));
  await add([request("key2", 5)]);
  expect(await timesOf("one", "key1")).toEqual(times(30, 130).toReversed());
  expect(await timesOf("two", "key2")).toEqual([5]);
  expect(database.get("SELECT count(*) AS rows FROM key_request")).toEqual({ rows: 101 });
});

test("the request log lists the requests of one millisecond in the order in which they were written", async () => {
  const { add, store } = openLog();
  const ids = ["m", "z", "a", "q", "b"];
  const within = (requestIds: readonly string[]) =>
    requestIds.map((requestId) => ({ ...request("key1", 7), requestId }));
  await add(within(ids.slice(0, 3)));
  await add(within(ids.slice(3)));
  const listed = await store.read("keyRequests", { accountId: "one", keyId: "key1" });
  expect(listed.map(({ requestId }) => requestId)).toEqual(ids.toReversed());
});

test("of more than 100 requests in one millisecond, the request log stores the 100 that were written last", async () => {
  const { add, store } = openLog();
  const ids = times(0, 130).map((number) => `${(number * 7) % 130}`);
  await add(ids.map((requestId) => ({ ...request("key1", 7), requestId })));
  const listed = await store.read("keyRequests", { accountId: "one", keyId: "key1" });
  expect(listed.map(({ requestId }) => requestId)).toEqual(ids.slice(30).toReversed());
});

test("the request log stores a repeated request once, and ignores requests of an unknown key", async () => {
  const { add, store } = openLog();
  await add([request("key1", 7), request("unknown", 7)]);
  await add([request("key1", 7)]);
  const { keyId: _keyId, ...logged } = request("key1", 7);
  expect(await store.read("keyRequests", { accountId: "one", keyId: "key1" })).toEqual([logged]);
});

test("an account cannot see the logged requests of another account's key", async () => {
  const { add, timesOf } = openLog();
  await add([request("key1", 7)]);
  expect(await timesOf("two", "key1")).toEqual([]);
});

test("requests before a given time can be deleted from the request log", async () => {
  const { add, timesOf, store } = openLog();
  await add(times(0, 10).map((at) => request("key1", at)));
  expect(await store.write("dropKeyRequests", { beforeMs: 8 })).toBe(false);
  expect(await timesOf("one", "key1")).toEqual([9, 8]);
});

test("the upgrade from an earlier schema numbers logged requests by time", () => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "control.db");
  const earlierDatabase = openStoreForWriting(path, controlMigrations.slice(0, 12));
  earlierDatabase.run("INSERT INTO account(id, name, created_ms) VALUES('one', 'one', 0)");
  for (const [keyId, atMs] of [
    ["b", 5],
    ["a", 9],
    ["c", 1],
  ] as const) {
    earlierDatabase.run(
      "INSERT INTO key_request VALUES('one', :keyId, :atMs, 'id', 'GET', '/v1/nodes', 404, 'not_found', 3)",
      { keyId, atMs },
    );
  }
  earlierDatabase.close();
  const database = openStoreForWriting(path, controlMigrations);
  onTestFinished(() => database.close());
  expect(database.all("SELECT sequence, key_id, code FROM key_request ORDER BY sequence")).toEqual([
    { sequence: 1, key_id: "c", code: "not_found" },
    { sequence: 2, key_id: "b", code: "not_found" },
    { sequence: 3, key_id: "a", code: "not_found" },
  ]);
});
