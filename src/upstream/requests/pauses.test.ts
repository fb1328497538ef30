import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type HostileUpstream,
  jsonReply,
  replyWith,
  startHostileUpstream,
} from "../../../testkit/upstreams/hostile-upstream.ts";
import {
  makeUpstreamJob,
  openTestSessions,
  pooledCredential,
  type TestSessions,
  testUpstream,
} from "../../../testkit/upstreams/sessions.ts";
import { createManualClock, type ManualClock } from "../../lib/manual-clock.ts";
import type { OpenSession } from "./sessions.ts";

let upstream: HostileUpstream;
let setup: TestSessions;
let clock: ManualClock;

beforeEach(async () => {
  clock = createManualClock();
  upstream = await startHostileUpstream(jsonReply({}));
  setup = openTestSessions(testUpstream("x"), [upstream.url], {
    clock,
    settings: {
      tries: 4,
      retryPauseMs: 4_000,
      maxRetryPauseMs: 6_000,
      limitPauseMs: 20_000,
      maxLimitPauseMs: 30_000,
      maxAnswerValues: 3,
    },
  });
  setup.pool.credentials = [pooledCredential("c1", upstream.url)];
});
afterEach(async () => {
  await setup.close();
  await upstream.close();
});

async function session(): Promise<OpenSession> {
  const [first] = await setup.sessions.open({
    job: makeUpstreamJob("job", { deadlineMs: clock.now() + 600_000 }),
    platform: "x",
    access: ["app"],
    ownership: "any",
    bucket: "posts",
    host: null,
  });
  if (first === undefined) throw new Error("no session was opened");
  return first;
}

const posts = { path: "/posts", bucket: "posts" };

async function secondsUntil(requests: number): Promise<number> {
  const startMs = clock.now();
  while (upstream.requests.length < requests) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (upstream.requests.length < requests) await clock.advance(250);
  }
  return (clock.now() - startMs) / 1_000;
}

test("a failed request is retried after the configured pause, doubled up to the maximum", async () => {
  upstream.script = [replyWith(500), replyWith(500), replyWith(500)];
  const pendingAnswer = (await session()).get(posts);
  await secondsUntil(1);
  expect(await secondsUntil(2)).toBeGreaterThanOrEqual(1.75);
  expect(await secondsUntil(4)).toBeGreaterThanOrEqual(5.75);
  await expect(pendingAnswer).resolves.toMatchObject({ status: 200 });
});

test("a limit without a reported end pauses requests as configured, doubled up to the maximum", async () => {
  upstream.script = [replyWith(429), replyWith(429), replyWith(429)];
  const openSession = await session();
  for (const pauseMs of [10_000, 15_000, 15_000]) {
    await expect(openSession.get(posts)).rejects.toMatchObject({
      retryAtMs: clock.now() + pauseMs,
    });
    await clock.advance(pauseMs);
  }
  await expect(openSession.get(posts)).resolves.toMatchObject({ status: 200 });
});

test("an answer with too many values is rejected", async () => {
  upstream.defaultReply = replyWith(200, {}, "[1,2,3,4]");
  const error = { code: "answer_unreadable", message: expect.stringContaining("more than 3") };
  await expect((await session()).get(posts)).rejects.toMatchObject(error);
});
