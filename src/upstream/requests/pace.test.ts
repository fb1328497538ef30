import { expect, test } from "vitest";
import { makeUpstreamJob } from "../../../testkit/upstreams/sessions.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createPace } from "./pace.ts";

function startPace(perSecond: number) {
  const clock = createManualClock();
  const pace = createPace({ clock, perSecond });
  const starts: { name: string; atMs: number }[] = [];
  const begin = async (
    name: string,
    lifetimeMs = 600_000,
    signal = new AbortController().signal,
    accountId = "one",
  ) => {
    await pace.waitForTurn(
      makeUpstreamJob(name, { accountId, deadlineMs: clock.now() + lifetimeMs, signal }),
    );
    starts.push({ name, atMs: clock.elapsed() });
  };
  return { clock, startedMs: starts, begin };
}

test("paced jobs start in FIFO order, at most the configured number in any second", async () => {
  const { clock, startedMs, begin } = startPace(3);
  for (let n = 0; n < 8; n += 1) {
    void begin(`job ${n}`);
    await clock.advance(100);
  }
  await clock.advance(10_000);
  expect(startedMs.map(({ name }) => name)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `job ${n}`),
  );
  const times = startedMs.map(({ atMs }) => atMs);
  expect(times).toEqual([0, 100, 200, 1_000, 1_100, 1_200, 2_000, 2_100]);
});

test("a started job continues without another turn, while another job waits for its turn", async () => {
  const { clock, startedMs, begin } = startPace(1);
  await begin("job");
  await begin("job");
  void begin("other");
  await clock.advance(999);
  expect(startedMs).toHaveLength(2);
  await clock.advance(1);
  expect(startedMs).toHaveLength(3);
});

test("a job is rejected immediately if its turn comes too late", async () => {
  const { clock, startedMs, begin } = startPace(2);
  for (let n = 0; n < 10; n += 1) void begin(`job ${n}`);
  await clock.advance(0);
  void begin("in time", 5_000);
  await expect(begin("too late", 4_000)).rejects.toMatchObject({
    code: "upstream_limited",
    retryable: true,
    hint: expect.stringContaining("EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND"),
  });
  expect(startedMs).toHaveLength(2);
  await clock.advance(5_000);
  expect(startedMs.at(-1)).toEqual({ name: "in time", atMs: 5_000 });
});

test("an aborted job leaves its turn to the next", async () => {
  const { clock, startedMs, begin } = startPace(1);
  const abortController = new AbortController();
  void begin("first");
  const abortedStart = begin("ended", 600_000, abortController.signal);
  void begin("next");
  const reason = new Error("cancelled");
  abortController.abort(reason);
  await expect(abortedStart).rejects.toBe(reason);
  await clock.advance(1_000);
  expect(startedMs.map(({ name }) => name)).toEqual(["first", "next"]);
});

test("a job past its deadline passes immediately and uses no turn", async () => {
  const { clock, startedMs, begin } = startPace(1);
  await begin("past its deadline", -1);
  await begin("first");
  await begin("past it, and none is free", -1);
  void begin("second");
  await clock.advance(1_000);
  expect(startedMs.map(({ atMs }) => atMs)).toEqual([0, 0, 0, 1_000]);
});

test("accounts take turns, regardless of how many jobs another has waiting", async () => {
  const { clock, startedMs, begin } = startPace(1);
  for (let n = 0; n < 20; n += 1) void begin(`many ${n}`);
  await clock.advance(500);
  void begin("few 0", 2_000, undefined, "two");
  void begin("few 1", 4_000, undefined, "two");
  await expect(begin("few 2", 4_000, undefined, "two")).rejects.toMatchObject({
    code: "upstream_limited",
  });
  await clock.advance(5_000);
  const names = startedMs.map(({ name }) => name);
  expect(names).toEqual(["many 0", "many 1", "few 0", "many 2", "few 1", "many 3"]);
});
