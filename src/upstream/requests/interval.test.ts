import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type HostileUpstream,
  jsonReply,
  replyWith,
  startHostileUpstream,
} from "../../../testkit/upstreams/hostile-upstream.ts";
import {
  advanceUntil,
  makeUpstreamJob,
  openTestSessions,
  pooledCredential,
  type TestSessions,
  testUpstream,
} from "../../../testkit/upstreams/sessions.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import type { OpenSession } from "./sessions.ts";

const secondMs = 1_000;
let upstream: HostileUpstream;
let setup: TestSessions;
let clock: ManualClock;
let refusedCount: number;

beforeEach(async () => {
  clock = createManualClock();
  refusedCount = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  upstream = await startHostileUpstream((request, response) => {
    const isEarly = request.url === "/all" && clock.now() - lastMs < secondMs;
    lastMs = clock.now();
    if (isEarly) refusedCount += 1;
    (isEarly ? replyWith(429) : jsonReply({}))(request, response);
  });
  const intervalMs = (bucket: string) => (bucket === "all" ? secondMs : 0);
  setup = openTestSessions(testUpstream("x", { intervalMs }), [upstream.url], { clock });
  setup.pool.credentials = [pooledCredential("c1", upstream.url)];
});
afterEach(async () => {
  await setup.close();
  await upstream.close();
});

async function session(
  name: string,
  options: { maxWaitMs?: number; lifetimeMs?: number } = {},
): Promise<OpenSession> {
  const { lifetimeMs = 120_000, ...more } = options;
  const job = makeUpstreamJob(name, { deadlineMs: clock.now() + lifetimeMs, ...more });
  const request = {
    job,
    platform: "x",
    access: ["app"],
    ownership: "any",
    bucket: null,
    host: null,
  } as const;
  const [first] = await setup.sessions.open(request);
  if (first === undefined) throw new Error("no session was opened");
  return first;
}

const allRequest = { path: "/all", bucket: "all" };

test("twenty concurrent jobs are answered at the request interval, without a refused request", async () => {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, (_, n) => session(`job ${n}`, { maxWaitMs: 10_000 })),
  );
  const responses = Promise.all(sessions.map((other) => other.patientSession.get(allRequest)));
  const answers = await advanceUntil(clock, responses);
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(refusedCount).toBe(0);
  expect(upstream.requests).toHaveLength(20);
});

test("a caller that cannot wait learns when the next request can be sent", async () => {
  await (await session("one")).get(allRequest);
  const error = await (await session("two")).get(allRequest).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UpstreamLimited);
  expect(error).toMatchObject({ retryAtMs: clock.now() + secondMs });
  expect(upstream.requests).toHaveLength(1);
});

test("a caller without time to wait for the interval is rejected before anything is sent", async () => {
  await (await session("one")).get(allRequest);
  const { patientSession } = await session("two", { lifetimeMs: 500 });
  await expect(patientSession.get(allRequest)).rejects.toBeInstanceOf(UpstreamLimited);
  expect(upstream.requests).toHaveLength(1);
});

test("other buckets of the same credential do not wait for the interval", async () => {
  await (await session("one")).get(allRequest);
  const recentRequest = { path: "/recent", bucket: "recent" };
  await (await session("two")).get(recentRequest);
  await (await session("three")).get(recentRequest);
  expect(upstream.requests).toHaveLength(3);
});
