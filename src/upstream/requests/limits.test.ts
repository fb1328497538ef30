import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type HostileUpstream,
  jsonReply,
  rateLimitedReply,
  replyWith,
  startHostileUpstream,
} from "../../../testkit/upstreams/hostile-upstream.ts";
import {
  makeUpstreamJob,
  openTestSessions,
  pooledCredential,
  advanceUntil as runningAt,
  type TestSessions,
  testUpstream,
} from "../../../testkit/upstreams/sessions.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import { UpstreamLimited } from "../../platforms/upstream-limited.ts";
import type { OpenSession } from "./sessions.ts";

let upstream: HostileUpstream;
let setup: TestSessions;
let clock: ManualClock;

const minuteMs = 60_000;

const runClockUntil = <Value>(manual: ManualClock, promise: Promise<Value>): Promise<Value> =>
  runningAt(manual, promise, 500);

beforeEach(async () => {
  clock = createManualClock();
  upstream = await startHostileUpstream();
  setup = openTestSessions(testUpstream("x", { publicBaseUrl: upstream.url }), [upstream.url], {
    clock,
  });
  setup.pool.credentials = [pooledCredential("c1", upstream.url)];
});
afterEach(async () => {
  await setup.close();
  await upstream.close();
});

async function open(
  name: string,
  lifetimeMs = 10 * minuteMs,
  job = makeUpstreamJob(name, { deadlineMs: clock.now() + lifetimeMs }),
): Promise<readonly OpenSession[]> {
  return await setup.sessions.open({
    job,
    platform: "x",
    access: ["app"],
    ownership: "any",
    bucket: "posts",
    host: null,
  });
}

async function session(name = "job", lifetimeMs?: number): Promise<OpenSession> {
  const [first] = await open(name, lifetimeMs);
  if (first === undefined) throw new Error("no session was opened");
  return first;
}

const posts = { path: "/posts", bucket: "posts" };

const getError = (pending: Promise<unknown>): Promise<unknown> =>
  pending.then(
    () => null,
    (error: unknown) => error,
  );

describe("a limit that the platform reports", () => {
  test("a limit that the platform reports is obeyed by a hundred concurrent jobs: none is refused, and all finish", async () => {
    const limitedReply = rateLimitedReply({ limit: 20, windowMs: minuteMs }, () => clock.now());
    upstream.defaultReply = limitedReply;
    const jobs = Array.from({ length: 100 }, async (_, n) =>
      (await session(`job ${n}`)).patientSession.get(posts),
    );
    const answers = await runClockUntil(clock, Promise.all(jobs));
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(limitedReply.refused()).toBe(0);
    expect(upstream.requests).toHaveLength(100);
    expect(setup.outcomes).toEqual(Array(100).fill("answered"));
  });

  test("a limit that the platform reports is not waited for while another credential can answer", async () => {
    upstream.defaultReply = rateLimitedReply({ limit: 1, windowMs: minuteMs }, () => clock.now());
    await runClockUntil(clock, (await session()).get(posts));
    const error = await getError((await session()).get(posts));
    expect(error).toBeInstanceOf(UpstreamLimited);
    expect(error).toMatchObject({ code: "upstream_limited", retryable: true });
    expect((error as UpstreamLimited).retryAtMs).toBeGreaterThan(clock.now() + minuteMs - 5_000);
    expect(setup.pool.calls).toEqual(["cool c1 posts"]);
    expect(upstream.requests).toHaveLength(1);
  });

  test("a limit that the platform reports is reported immediately if it outlasts the job", async () => {
    upstream.defaultReply = rateLimitedReply({ limit: 1, windowMs: minuteMs }, () => clock.now());
    await runClockUntil(clock, (await session()).get(posts));
    const error = await getError((await session("short", minuteMs / 2)).patientSession.get(posts));
    expect(error).toBeInstanceOf(UpstreamLimited);
  });

  test("a limit that the platform reports is reported immediately if it outlasts the job's maximum wait", async () => {
    upstream.defaultReply = rateLimitedReply({ limit: 1, windowMs: minuteMs }, () => clock.now());
    await runClockUntil(clock, (await session()).get(posts));
    const hastyJob = makeUpstreamJob("hasty", {
      deadlineMs: clock.now() + 10 * minuteMs,
      maxWaitMs: 10_000,
    });
    const [hastySession] = await open("hasty", 10 * minuteMs, hastyJob);
    expect(
      await getError(hastySession?.patientSession.get(posts) ?? Promise.resolve()),
    ).toBeInstanceOf(UpstreamLimited);
  });

  test("a limit that the platform reports applies per bucket", async () => {
    upstream.defaultReply = rateLimitedReply({ limit: 1, windowMs: minuteMs }, () => clock.now());
    await runClockUntil(clock, (await session()).get(posts));
    upstream.defaultReply = jsonReply({});
    const otherAnswer = (await session()).get({ path: "/users", bucket: "users" });
    await expect(runClockUntil(clock, otherAnswer)).resolves.toMatchObject({ status: 200 });
  });

  test("a limit that the platform reports orders its credential after open ones", async () => {
    setup.pool.credentials = [
      pooledCredential("c1", upstream.url),
      pooledCredential("c2", upstream.url),
    ];
    upstream.defaultReply = rateLimitedReply({ limit: 1, windowMs: minuteMs }, () => clock.now());
    await runClockUntil(clock, (await session()).get(posts));
    expect((await open("next")).map(({ credentialId }) => credentialId)).toEqual(["c2", "c1"]);
  });
});

test("before a limit is known, requests are sent one at a time", async () => {
  const pendingReplies: (() => void)[] = [];
  upstream.defaultReply = (request, response) => {
    pendingReplies.push(() => jsonReply({})(request, response));
  };
  const first = (await session("1")).get(posts);
  const second = (await session("2")).get(posts);
  await runClockUntil(clock, waitForReply(pendingReplies));
  expect(upstream.requests).toHaveLength(1);
  upstream.defaultReply = jsonReply({});
  pendingReplies[0]?.();
  await runClockUntil(clock, Promise.all([first, second]));
  expect(upstream.requests).toHaveLength(2);
});

async function waitForReply(pendingReplies: readonly unknown[]): Promise<void> {
  while (pendingReplies.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("a rate-limit refusal (429)", () => {
  const inAMinute = () => String(clock.now() + minuteMs);

  test.each([
    ["a number of seconds", () => ({ "retry-after": "60" }), 60_000],
    ["a date", () => ({ "retry-after": new Date(clock.now() + minuteMs).toUTCString() }), 60_000],
    [
      "the reset of its window",
      () => ({ "ratelimit-remaining": "0", "ratelimit-reset-ms": inAMinute() }),
      60_000,
    ],
    ["nothing", () => ({}), 500],
    [
      "a remaining limit despite the refusal",
      () => ({ "ratelimit-remaining": "5", "ratelimit-reset-ms": inAMinute() }),
      500,
    ],
    [
      "a reset in the past",
      () => ({ "ratelimit-remaining": "0", "ratelimit-reset-ms": "1000" }),
      500,
    ],
    [
      "a reset in days",
      () => ({
        "ratelimit-remaining": "0",
        "ratelimit-reset-ms": String(clock.now() + 5 * 86_400_000),
      }),
      500,
    ],
    ["a pause of days", () => ({ "retry-after": "900000" }), 500],
    [
      "no valid number",
      () => ({
        "retry-after": "soon",
        "ratelimit-remaining": "NaN",
        "ratelimit-reset-ms": "1e400",
      }),
      500,
    ],
  ])(
    "a caller without an alternative retries a rate-limit refusal (429) that reports %s, after the reported time if it is plausible",
    async (_what, headers, waitMs) => {
      upstream.script = [(request, response) => replyWith(429, headers())(request, response)];
      const startMs = clock.now();
      await runClockUntil(clock, (await session()).patientSession.get(posts));
      const waitedMs = clock.now() - startMs;
      expect(waitedMs).toBeGreaterThanOrEqual(waitMs - 1_000);
      expect(waitedMs).toBeLessThan(waitMs + 5_000);
      expect(setup.outcomes).toEqual(["limited", "answered"]);
      expect(setup.pool.calls).toEqual(["cool c1 posts"]);
    },
  );

  test("a rate-limit refusal (429) is reported immediately to a caller with an alternative", async () => {
    upstream.script = [replyWith(429, { "retry-after": "60" })];
    const error = await runClockUntil(clock, getError((await session()).get(posts)));
    expect(error).toMatchObject({ code: "upstream_limited" });
    expect((error as UpstreamLimited).retryAtMs).toBeGreaterThan(clock.now() + 50_000);
    expect(upstream.requests).toHaveLength(1);
  });

  test("repeated rate-limit refusals (429) lengthen the pauses, even if Retry-After is 0", async () => {
    upstream.defaultReply = replyWith(429, { "retry-after": "0" });
    const startMs = clock.now();
    const error = await runClockUntil(
      clock,
      getError((await session("job", 2 * minuteMs)).patientSession.get(posts)),
    );
    expect(error).toBeInstanceOf(UpstreamLimited);
    expect(clock.now() - startMs).toBeLessThan(2 * minuteMs);
    expect(upstream.requests.length).toBeLessThan(10);
  });

  test("rate-limit refusals (429) of concurrent requests count once", async () => {
    upstream.defaultReply = replyWith(
      200,
      { "ratelimit-remaining": "50", "ratelimit-reset-ms": inAMinute() },
      "{}",
    );
    await runClockUntil(clock, (await session()).get(posts));
    upstream.defaultReply = replyWith(429);
    const requests = Array.from({ length: 10 }, async (_, n) =>
      getError((await session(`${n}`)).get(posts)),
    );
    const errors = (await runClockUntil(clock, Promise.all(requests))) as UpstreamLimited[];
    for (const { retryAtMs } of errors) expect(retryAtMs).toBeLessThan(clock.now() + 1_000);
  });
});

test("a request that gets no response does not delay the requests after it", async () => {
  const silentHost = await startHostileUpstream(() => {});
  const silentSetup = openTestSessions(
    testUpstream("x", { publicBaseUrl: silentHost.url }),
    [silentHost.url],
    {
      clock,
      settings: { tries: 1 },
    },
  );
  silentSetup.timeoutsMs.push(...Array(60).fill(50));
  const pendingErrors = Array.from({ length: 60 }, async (_, n) => {
    const job = makeUpstreamJob(`job ${n}`, { deadlineMs: clock.now() + 100 * minuteMs });
    const [publicSession] = await silentSetup.sessions.open({
      job,
      platform: "x",
      access: ["public"],
      ownership: "any",
      bucket: "posts",
      host: null,
    });
    return await getError(publicSession?.get(posts) ?? Promise.resolve());
  });
  const startMs = performance.now();
  const errors = await runClockUntil(clock, Promise.all(pendingErrors));
  expect(errors).toEqual(Array(60).fill(expect.objectContaining({ code: "upstream_timeout" })));
  expect(performance.now() - startMs).toBeLessThan(1_500);
  await silentSetup.close();
  await silentHost.close();
});
