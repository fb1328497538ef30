import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openTestUsage } from "../../../testkit/service/usage.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createUsageRecorder } from "./recorder.ts";

const quarterMs = 900_000;
const startMs = 1_700_000_100_000;

function startTestRecorder() {
  const started = makeTestRecorder();
  onTestFinished(async () => {
    await started.recorder.stop();
    started.remove();
  });
  return started;
}

function makeTestRecorder() {
  const usage = openTestUsage();
  const clock = createManualClock(startMs);
  const errors: unknown[] = [];
  const writes: string[] = [];
  const state = { fails: false };
  const recorder = createUsageRecorder({
    store: {
      write: async (name, args) => {
        writes.push(name);
        if (state.fails) throw new Error("the disk is gone");
        return await usage.store.write(name, args);
      },
    },
    clock,
    settings: { flushMs: 10_000, retentionMs: 86_400_000 },
    onError: (error) => errors.push(error),
    onLost: () => undefined,
  });
  recorder.start();
  return { ...usage, clock, recorder, errors, writes, state };
}

const request = { accountId: "one", keyId: "key1", status: 200 };
const search = {
  accountId: "one",
  keyId: "key1",
  method: "searchbyquery",
  state: "done",
  posts: 7,
  ms: 40,
} as const;

test("counted calls are written together after the flush interval", async () => {
  const { recorder, clock, rows, writes } = startTestRecorder();
  await clock.advance(0);
  for (let call = 0; call < 100; call += 1) recorder.recordRequest(request);
  recorder.recordSearch(search);
  expect(rows()).toEqual([]);
  await clock.advance(10_000);
  expect(rows()).toEqual([
    { accountId: "one", bucketMs: startMs, keyId: "key1", method: "", calls: 100 },
    { accountId: "one", bucketMs: startMs, keyId: "key1", method: "searchbyquery", calls: 1 },
  ]);
  expect(writes.filter((name) => name === "addUsage")).toHaveLength(1);
  await clock.advance(60_000);
  expect(writes.filter((name) => name === "addUsage")).toHaveLength(1);
});

test("calls within a quarter of an hour are added to one row", async () => {
  const { recorder, clock, rows } = startTestRecorder();
  recorder.recordRequest(request);
  await recorder.flush();
  recorder.recordRequest(request);
  await recorder.flush();
  await clock.advance(quarterMs - 1);
  recorder.recordRequest(request);
  await clock.advance(1);
  recorder.recordRequest(request);
  await recorder.flush();
  expect(rows()).toMatchObject([
    { bucketMs: startMs, calls: 3 },
    { bucketMs: startMs + quarterMs, calls: 1 },
  ]);
});

test("usage counts calls, refusals, failures, posts and durations", async () => {
  const { recorder, store } = startTestRecorder();
  for (const status of [200, 404, 429, 429, 500, 503, 504]) {
    recorder.recordRequest({ ...request, status });
  }
  recorder.recordSearch(search);
  recorder.recordSearch({ ...search, state: "error", posts: 0, ms: 4_000 });
  recorder.recordSearch({ ...search, state: "cancelled", posts: 0, ms: 90_000 });
  await recorder.flush();
  const params = {
    accountId: "one",
    keyId: null,
    fromMs: 0,
    toMs: 2 * startMs,
    widthMs: quarterMs,
  };
  const { groups } = await store.read("usageOf", params);
  expect(groups).toMatchObject([
    { method: "", calls: 7, refused: 2, failed: 3, posts: 0, latencies: "" },
    { method: "searchbyquery", calls: 3, refused: 0, failed: 1, posts: 7 },
  ]);
  expect(groups[1]?.latencies.split(" ")).toHaveLength(2);
});

test("usage that could not be written is included once in the next successful write", async () => {
  const { recorder, clock, rows, errors, state } = startTestRecorder();
  await clock.advance(0);
  recorder.recordRequest(request);
  recorder.recordSearch(search);
  state.fails = true;
  await clock.advance(10_000);
  recorder.recordRequest(request);
  await clock.advance(10_000);
  expect(errors).toHaveLength(2);
  state.fails = false;
  await clock.advance(10_000);
  expect(rows()).toMatchObject([
    { method: "", calls: 2 },
    { method: "searchbyquery", calls: 1 },
  ]);
});

test("stopping the usage recorder writes the pending usage", async () => {
  const { recorder, rows, addKey, database } = startTestRecorder();
  addKey("key1", "one");
  recorder.recordRequest(request);
  recorder.recordKeyUse("key1", "192.0.2.7");
  await recorder.flush();
  recorder.recordRequest(request);
  recorder.recordKeyUse("key1", "2001:db8::7");
  await recorder.stop();
  expect(rows()).toMatchObject([{ calls: 2 }]);
  expect(database.get("SELECT used_from AS usedFrom FROM api_key")).toEqual({
    usedFrom: "2001:db8::/64",
  });
});

test("calls of deleted and unknown accounts are dropped, and those of others are not", async () => {
  const { recorder, rows, database } = startTestRecorder();
  recorder.recordRequest(request);
  recorder.recordRequest({ ...request, accountId: "two" });
  recorder.recordRequest({ ...request, accountId: "three" });
  database.run("DELETE FROM account WHERE id = 'one'");
  await recorder.flush();
  expect(rows()).toMatchObject([{ accountId: "two", calls: 1 }]);
});

test("a key's last use is written once a minute and never decreases", async () => {
  const { recorder, clock, database, addKey, writes } = startTestRecorder();
  addKey("key1", "one");
  const readKeyUse = () =>
    database.get<{ usedMs: number; usedFrom: string }>(
      "SELECT used_ms AS usedMs, used_from AS usedFrom FROM api_key WHERE id = 'key1'",
    );
  await clock.advance(0);
  for (let second = 0; second < 120; second += 1) {
    recorder.recordKeyUse("key1", `192.0.2.${second}`);
    await clock.advance(1_000);
  }
  expect(writes.filter((name) => name === "addUsage")).toHaveLength(2);
  expect(readKeyUse()?.usedMs).toBeGreaterThanOrEqual(startMs + 60_000);
  clock.shiftWall(-3_600_000);
  await clock.advance(60_000);
  recorder.recordKeyUse("key1", "198.51.100.1");
  await clock.advance(60_000);
  expect(readKeyUse()?.usedMs).toBeGreaterThanOrEqual(startMs + 60_000);
});

test("usage rows older than the retention are deleted", async () => {
  const { recorder, clock, rows } = startTestRecorder();
  recorder.recordRequest(request);
  await recorder.flush();
  await clock.advance(86_400_000 - quarterMs);
  expect(rows()).toHaveLength(1);
  await clock.advance(quarterMs + 3_600_000);
  expect(rows()).toEqual([]);
});

test("every call is counted once, whichever writes fail and whenever they run", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("request" as const), key: fc.nat(3) }),
    fc.record({ kind: fc.constant("search" as const), key: fc.nat(3), posts: fc.nat(9) }),
    fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(2 * quarterMs) }),
    fc.record({ kind: fc.constant("break" as const), fails: fc.boolean() }),
    fc.record({ kind: fc.constant("flush" as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { recorder, clock, state, database, remove } = makeTestRecorder();
      const totals = { requests: 0, searches: 0, posts: 0 };
      for (const other of steps) {
        if (other.kind === "advance") await clock.advance(other.ms);
        if (other.kind === "break") state.fails = other.fails;
        // Not awaited, so that calls arrive during the write.
        if (other.kind === "flush") void recorder.flush();
        if (other.kind === "request") {
          recorder.recordRequest({ ...request, keyId: `key${other.key}` });
          totals.requests += 1;
        }
        if (other.kind === "search") {
          recorder.recordSearch({ ...search, keyId: `key${other.key}`, posts: other.posts });
          totals.searches += 1;
          totals.posts += other.posts;
        }
      }
      state.fails = false;
      await recorder.stop();
      const storedTotals = database.get(
        `SELECT coalesce(sum(calls) FILTER (WHERE method = ''), 0) AS requests,
           coalesce(sum(calls) FILTER (WHERE method <> ''), 0) AS searches, coalesce(sum(posts), 0) AS posts
         FROM usage`,
      );
      expect(storedTotals).toEqual(totals);
      remove();
    }),
    { numRuns: 15 },
  );
});
