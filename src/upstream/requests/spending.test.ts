import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  closedConnection,
  type HostileUpstream,
  jsonReply,
  noReply,
  replyWith,
  startHostileUpstream,
  type UpstreamReply,
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
import type { Bill } from "../../platforms/session.ts";
import type { OpenSession, Sessions, UpstreamJob } from "./sessions.ts";

const dayMs = 86_400_000;
const startMs = Date.UTC(2023, 10, 14);

let upstream: HostileUpstream;
let setup: TestSessions;
let clock: ManualClock;

const computePrice = ({ postReads = 0, userReads = 0 }: Bill) =>
  postReads * 5_000 + userReads * 10_000;

beforeEach(async () => {
  clock = createManualClock(startMs);
  upstream = await startHostileUpstream();
  setup = openTestSessions(testUpstream("x", { computePrice }), [upstream.url], {
    clock,
    settings: { xMonthlyPostReads: 250 },
  });
  setup.pool.credentials = [pooledCredential("deployment's", upstream.url)];
});
afterEach(async () => {
  await setup.close();
  await upstream.close();
});

async function open(
  name = "job",
  { sessions = setup.sessions, ...more }: Partial<UpstreamJob> & { sessions?: Sessions } = {},
): Promise<OpenSession> {
  const [first] = await sessions.open({
    job: makeUpstreamJob(name, { deadlineMs: clock.now() + 3_600_000, ...more }),
    platform: "x",
    access: ["app"],
    ownership: "any",
    bucket: "posts",
    host: null,
  });
  if (first === undefined) throw new Error("no session was opened");
  return first;
}

const hundredReads = { path: "/posts", bucket: "posts", bill: { postReads: 100 } };

const readSpent = () => setup.store.postReads("2023-11");

describe("a billed call", () => {
  test("a billed call costs what the platform reports", async () => {
    const session = await open();
    const answer = await session.get(hundredReads);
    expect(await readSpent()).toBe(100);
    answer.settle({ postReads: 7, userReads: 2 });
    answer.settle({ postReads: 1 });
    expect(session.cost()).toEqual({
      postReads: 7,
      userReads: 2,
      requests: 0,
      microUsd: 55_000,
      month: { name: "2023-11", postReads: 7, maxPostReads: 250 },
    });
    await clock.advance(0);
    expect(await readSpent()).toBe(7);
  });

  test("a billed call costs the maximum without a report", async () => {
    const session = await open();
    await session.get(hundredReads);
    await session.get(hundredReads);
    expect(session.cost()).toMatchObject({ postReads: 200, microUsd: 1_000_000 });
    expect(await readSpent()).toBe(200);
  });

  test.each([
    ["NaN", Number.NaN, 0],
    ["less than nothing", -5, 0],
    ["more than was reserved", 120, 120],
  ])(
    "a billed call that reports %s counts zero or more post reads",
    async (_what, postReads, expectedReads) => {
      const answer = await (await open()).get(hundredReads);
      answer.settle({ postReads });
      await clock.advance(0);
      expect(await readSpent()).toBe(expectedReads);
    },
  );

  test.each<[string, UpstreamReply]>([
    ["is refused (4xx)", replyWith(400, {}, "{}")],
    ["fails upstream (5xx)", replyWith(500)],
    ["is limited (429)", replyWith(429, { "retry-after": "3600" })],
  ])("a billed call costs nothing if it %s", async (_what, reply) => {
    upstream.defaultReply = reply;
    const session = await open();
    const pendingAnswer = session.get(hundredReads).then(
      (answer) => answer.settle({}),
      () => undefined,
    );
    await advanceUntil(clock, pendingAnswer);
    await clock.advance(0);
    expect(session.cost()).toMatchObject({ postReads: 0, month: { postReads: 0 } });
    expect(await readSpent()).toBe(0);
  });

  test("a billed call costs nothing if the host is unreachable", async () => {
    await upstream.close();
    const session = await open();
    await advanceUntil(
      clock,
      session.get(hundredReads).catch(() => undefined),
    );
    await clock.advance(0);
    expect(await readSpent()).toBe(0);
    upstream = await startHostileUpstream();
  });

  test.each<[string, UpstreamReply]>([
    ["no response", noReply],
    ["a closed connection", closedConnection],
    ["an unreadable answer", replyWith(200, {}, "{")],
  ])(
    "a call that got %s may have been billed, so it counts in full and is not repeated",
    async (_what, reply) => {
      if (reply === noReply) setup.timeoutsMs.push(50);
      upstream.defaultReply = reply;
      const error = await advanceUntil(
        clock,
        (await open()).get(hundredReads).catch((thrown: unknown) => thrown),
      );
      expect(error).toMatchObject({
        retryable: false,
        message: expect.stringContaining("may have been billed"),
      });
      expect(setup.outcomes).toHaveLength(1);
      expect(await readSpent()).toBe(100);
    },
  );

  test("a billed call is recorded on disk before it is sent", async () => {
    const recordedReads: number[] = [];
    upstream.defaultReply = (request, response) => {
      void readSpent().then((reads) => {
        recordedReads.push(reads);
        jsonReply({})(request, response);
      });
    };
    await (await open()).get(hundredReads);
    expect(recordedReads).toEqual([100]);
  });
});

describe("the month's budget", () => {
  test("the month's budget is exact with any number of concurrent jobs and processes", async () => {
    const processes = [setup.sessions, setup.openInAnotherProcess(), setup.openInAnotherProcess()];
    const calls = Array.from({ length: 30 }, async (_, n) => {
      const session = await open(`job ${n}`, { sessions: processes[n % 3] ?? setup.sessions });
      return await session.get({ ...hundredReads, bill: { postReads: 10 } }).then(
        () => "read",
        (error: { code: string }) => error.code,
      );
    });
    const outcomes = await advanceUntil(clock, Promise.all(calls));
    expect(outcomes.filter((outcome) => outcome === "read")).toHaveLength(25);
    expect(outcomes.filter((outcome) => outcome === "budget_used_up")).toHaveLength(5);
    expect(await readSpent()).toBe(250);
    expect(upstream.requests).toHaveLength(25);
  });

  test("a call that exceeds the month's budget fails without a request, and the error names the setting and the month's end", async () => {
    const pending = open().then((session) =>
      session.get({ ...hundredReads, bill: { postReads: 251 } }),
    );
    await expect(pending).rejects.toMatchObject({
      code: "budget_used_up",
      status: 502,
      retryable: false,
      message: expect.stringMatching(
        /251 posts, but only 250 of 250 \(EARSHOT_X_MONTHLY_POST_READS\) .* 2023-12-01T00:00:00Z/,
      ),
    });
    expect(upstream.requests).toEqual([]);
  });

  test("the month's budget restarts with the month", async () => {
    await (await open()).get({ ...hundredReads, bill: { postReads: 250 } });
    await expect((await open("2")).get(hundredReads)).rejects.toMatchObject({
      code: "budget_used_up",
    });
    clock.shiftWall(20 * dayMs);
    const session = await open("3");
    await session.get(hundredReads);
    expect(session.cost()?.month).toEqual({ name: "2023-12", postReads: 100, maxPostReads: 250 });
  });

  test("the month's budget does not apply to an account's own credential, whose calls are counted separately", async () => {
    setup.pool.credentials = [pooledCredential("own", upstream.url, { owner: "account" })];
    const session = await open();
    for (let n = 0; n < 4; n += 1) await session.get(hundredReads);
    expect(session.cost()).toEqual({
      postReads: 400,
      userReads: 0,
      requests: 0,
      microUsd: 2_000_000,
      month: null,
    });
    expect(await readSpent()).toBe(0);
  });

  test("the month's budget does not apply to calls that cost no posts", async () => {
    await (await open()).get({ ...hundredReads, bill: { postReads: 250 } });
    await expect(
      (await open("2")).get({ ...hundredReads, bill: { userReads: 1 } }),
    ).resolves.toMatchObject({ status: 200 });
  });
});

describe("a job whose lease was lost during a paid call", () => {
  async function loseLease(name: string): Promise<void> {
    const lease = new AbortController();
    upstream.script = [noReply];
    const pendingAnswer = (await open(name, { signal: lease.signal })).get(hundredReads);
    while (upstream.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    lease.abort(new Error("the lease was lost"));
    await expect(pendingAnswer).rejects.toThrow("the lease was lost");
  }

  test("a job whose lease was lost during a paid call is not paid for twice, not even by another process or under another attempt number", async () => {
    await loseLease("job");
    for (const [sessions, attempt] of [
      [setup.sessions, 2],
      [setup.openInAnotherProcess(), 1],
      [setup.openInAnotherProcess(), 2],
    ] as const) {
      await expect(
        (await open("job", { sessions, attempt })).get(hundredReads),
      ).rejects.toMatchObject({
        code: "paid_call_repeated",
        status: 502,
        retryable: false,
      });
    }
    expect(upstream.requests).toHaveLength(1);
    await expect((await open("another")).get(hundredReads)).resolves.toMatchObject({ status: 200 });
  });

  test("a job whose lease was lost before anything was sent can call again", async () => {
    const lease = new AbortController();
    const session = await open("job", { signal: lease.signal });
    const pendingAnswer = session.get(hundredReads);
    pendingAnswer.catch(() => undefined);
    while ((await readSpent()) === 0);
    lease.abort(new Error("the lease was lost"));
    await expect(pendingAnswer).rejects.toThrow("the lease was lost");
    expect(upstream.requests).toEqual([]);
    await expect((await open("job", { attempt: 2 })).get(hundredReads)).resolves.toMatchObject({
      status: 200,
    });
  });

  test("a job whose lease was lost can continue with free calls", async () => {
    await loseLease("job");
    const { bill: _bill, ...freeCall } = hundredReads;
    await expect((await open("job", { attempt: 2 })).get(freeCall)).resolves.toMatchObject({
      status: 200,
    });
  });

  test("a lost paid call counts as billed, even after its reservation has expired", async () => {
    await loseLease("job");
    expect(await readSpent()).toBe(100);
    clock.shiftWall(2 * dayMs);
    await (await open("another")).get({ ...hundredReads, bill: { postReads: 1 } });
    expect(await readSpent()).toBe(101);
  });

  test("a job can continue after a paid call that was answered before its lease was lost", async () => {
    await (await open("job")).get(hundredReads);
    await clock.advance(0);
    await expect((await open("job", { attempt: 2 })).get(hundredReads)).resolves.toMatchObject({
      status: 200,
    });
  });
});

test("concurrent calls of one attempt do not count as repetitions", async () => {
  const singleRead = { ...hundredReads, bill: { postReads: 1 } };
  const [session, otherSession] = [await open(), await open()];
  // After an answer that reports no limit, none delays the next requests.
  await session.get(singleRead);
  const calls = Promise.all([
    session.get(singleRead),
    session.get(singleRead),
    otherSession.get(singleRead),
  ]);
  await expect(advanceUntil(clock, calls)).resolves.toHaveLength(3);
  expect(await readSpent()).toBe(4);
});

test("no costs are reported for a platform that does not bill", async () => {
  const freeSessions = openTestSessions(testUpstream("x"), [upstream.url], { clock });
  freeSessions.pool.credentials = [pooledCredential("c1", upstream.url)];
  const session = await open("job", { sessions: freeSessions.sessions });
  await session.get(hundredReads);
  expect(session.cost()).toBeNull();
  expect(await freeSessions.store.postReads("2023-11")).toBe(0);
  await freeSessions.close();
});
