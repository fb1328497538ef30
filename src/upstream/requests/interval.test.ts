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
let refused: number;

beforeEach(async () => {
  clock = createManualClock();
  refused = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  upstream = await startHostileUpstream((request, response) => {
    const isEarly = request.url === "/all" && clock.now() - lastMs < secondMs;
    lastMs = clock.now();
    if (isEarly) refused += 1;
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
  special: { maxWaitMs?: number; lifetimeMs?: number } = {},
): Promise<OpenSession> {
  const { lifetimeMs = 120_000, ...more } = special;
  const job = makeUpstreamJob(name, { deadlineMs: clock.now() + lifetimeMs, ...more });
  const requested = {
    job,
    platform: "x",
    access: ["app"],
    ownership: "any",
    bucket: null,
    host: null,
  } as const;
  const [first] = await setup.sessions.open(requested);
  if (first === undefined) throw new Error("no session was opened");
  return first;
}

const all = { path: "/all", bucket: "all" };

test("twenty concurrent jobs are answered at the request interval, without a refused request", async () => {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, (_, n) => session(`job ${n}`, { maxWaitMs: 10_000 })),
  );
  const requested = Promise.all(sessions.map((other) => other.patient.get(all)));
  const answers = await advanceUntil(clock, requested);
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(refused).toBe(0);
  expect(upstream.requests).toHaveLength(20);
});

test("a caller that cannot wait learns when the next request may be sent", async () => {
  await (await session("one")).get(all);
  const error = await (await session("two")).get(all).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UpstreamLimited);
  expect(error).toMatchObject({ retryAtMs: clock.now() + secondMs });
  expect(upstream.requests).toHaveLength(1);
});

test("a caller without time to wait for the interval is rejected before anything is sent", async () => {
  await (await session("one")).get(all);
  const { patient } = await session("two", { lifetimeMs: 500 });
  await expect(patient.get(all)).rejects.toBeInstanceOf(UpstreamLimited);
  expect(upstream.requests).toHaveLength(1);
});

test("other buckets of the same credential do not wait for the interval", async () => {
  await (await session("one")).get(all);
  const recent = { path: "/recent", bucket: "recent" };
  await (await session("two")).get(recent);
  await (await session("three")).get(recent);
  expect(upstream.requests).toHaveLength(3);
});
