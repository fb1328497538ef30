import { expect, test } from "vitest";
import { createLatestRequests } from "./gathered-usage.ts";

const request = (keyId: string, atMs: number) => ({
  keyId,
  requestId: String(atMs),
  atMs,
  method: "GET",
  route: "/v1/nodes",
  status: 200,
  code: null,
  durationMs: 1,
});

const listTimes = (requests: readonly { atMs: number }[]) => requests.map(({ atMs }) => atMs);
const times = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

test("the latest 100 requests of each key are collected until they are taken", () => {
  const latest = createLatestRequests(10);
  for (const at of times(0, 350)) latest.record(request("busy", at));
  latest.record(request("idle", 1));
  const requests = latest.take();
  expect(listTimes(requests.filter(({ keyId }) => keyId === "busy"))).toEqual(times(250, 350));
  expect(listTimes(requests.filter(({ keyId }) => keyId === "idle"))).toEqual([1]);
  expect(latest.take()).toEqual([]);
});

test("requests that are put back come before newer ones", () => {
  const latest = createLatestRequests(10);
  for (const at of times(0, 90)) latest.record(request("key", at));
  const failed = latest.take();
  for (const at of times(90, 120)) latest.record(request("key", at));
  latest.restore(failed);
  expect(listTimes(latest.take())).toEqual(times(20, 120));
});

test("requests of further keys are ignored while too many keys have unwritten requests", () => {
  const latest = createLatestRequests(1);
  latest.record(request("first", 1));
  latest.record(request("second", 2));
  latest.record(request("first", 3));
  expect(listTimes(latest.take())).toEqual([1, 3]);
});
