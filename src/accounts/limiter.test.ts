import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../testkit/service/accounts.ts";
import { createManualClock, type ManualClock } from "../lib/manual-clock.ts";
import { printApiKey } from "./api-key.ts";
import type { Caller } from "./authenticate.ts";
import type { NewKey } from "./keys/command-line-operations.ts";
import type { CreatedKey } from "./keys/key.ts";
import { type AdmissionParams, createLimiter, type Limiter, rateLimitFields } from "./limiter.ts";
import { defaultLimits } from "./limits.ts";

let accounts: TestAccounts;
let clock: ManualClock;
let limiter: Limiter;
beforeEach(() => {
  accounts = createTestAccounts();
  clock = createManualClock();
  limiter = createLimiter(accounts.store, clock, defaultLimits);
});
afterEach(() => accounts.remove());

const call: AdmissionParams = {
  address: "203.0.113.9",
  authorization: undefined,
  readOf: null,
  maxWaitMs: 2_000,
};

async function makeCaller(options: Partial<NewKey> = {}) {
  const key = await accounts.makeKey(options);
  const { id: keyId, accountId } = key;
  const caller: Caller = {
    keyId,
    accountId,
    requestsPerSecond: options.requestsPerSecond ?? defaultLimits.requestsPerSecond,
    submissionsPerMinute: options.submissionsPerMinute ?? defaultLimits.submissionsPerMinute,
    methods: null,
    ratesKeyId: keyId,
  };
  return { key, caller, params: { ...call, authorization: `Bearer ${key.token}` } };
}

async function submitTimes(caller: Caller, times: number, by = limiter): Promise<boolean[]> {
  const decisions = Array.from({ length: times }, () => by.takeSubmission(caller));
  return (await Promise.all(decisions)).map(({ allowed }) => allowed);
}

async function fetchKinds(calls: readonly AdmissionParams[], by = limiter): Promise<string[]> {
  const admissions = await Promise.all(calls.map((params) => by.admit(params)));
  return admissions.map(({ kind }) => kind);
}

const wrongKey = (secret: string): AdmissionParams => ({
  ...call,
  authorization: `Bearer ${secret}`,
});

test("one call to the limiter authenticates the caller, counts the request and returns both limits", async () => {
  const { caller, params } = await makeCaller({ requestsPerSecond: 2 });
  const admission = await limiter.admit(params);
  expect(admission).toMatchObject({ kind: "admitted", caller, waitMs: 0 });
  const policies = "limits" in admission ? admission.limits.policies : [];
  expect(rateLimitFields(policies)).toEqual({
    "RateLimit-Policy": '"burst";q=2;w=1, "search";q=10;w=60',
    RateLimit: '"burst";r=1;t=1, "search";r=10;t=0',
  });
});

test("at two requests a second, a third is refused until the first is a second old", async () => {
  const { caller, params } = await makeCaller({ requestsPerSecond: 2 });
  await limiter.admit(params);
  await clock.advance(300);
  await limiter.admit(params);
  await clock.advance(200);
  expect(await limiter.admit(params)).toMatchObject({
    kind: "refused",
    caller,
    retryAfterMs: 500,
  });
  await clock.advance(500);
  expect((await limiter.admit(params)).kind).toBe("admitted");
});

test("the reported time to reset is never longer than a window, even if the clock has fractions of a millisecond", async () => {
  const { caller } = await makeCaller();
  for (let start = 1; start < 200; start += 1) {
    const elapsed = () => start * 73.000_017;
    const at = createLimiter(accounts.store, { ...clock, elapsed }, defaultLimits);
    const { limits, refund } = await at.takeSubmission(caller);
    expect(rateLimitFields(limits.policies).RateLimit).toContain('"search";r=9;t=60');
    await refund();
  }
});

test("counting and refunding a submission both report the remaining limit", async () => {
  const { caller } = await makeCaller();
  const remainingCounts = (state: { policies: readonly { remaining: number }[] } | null) =>
    state?.policies.map((policy) => policy.remaining);
  const decision = await limiter.takeSubmission(caller);
  expect(remainingCounts(decision.limits)).toEqual([3, 9]);
  await submitTimes(caller, 9);
  expect(remainingCounts(await limiter.state(caller))).toEqual([3, 0]);
  expect(remainingCounts(await decision.refund())).toEqual([3, 1]);
  expect(await decision.refund()).toBeNull();
  expect(await submitTimes(caller, 2)).toEqual([true, false]);
});

test("refunding a refused submission has no effect", async () => {
  const { caller } = await makeCaller({ submissionsPerMinute: 1 });
  await submitTimes(caller, 1);
  const refusedDecision = await limiter.takeSubmission(caller);
  expect(refusedDecision).toMatchObject({ allowed: false, policy: "search", retryAfterMs: 60_000 });
  await refusedDecision.refund();
  expect(await submitTimes(caller, 1)).toEqual([false]);
});

test("two limiters on one store share all limits", async () => {
  const otherLimiter = createLimiter(accounts.store, clock, defaultLimits);
  const { caller, params } = await makeCaller();
  expect(await fetchKinds([params, params])).toEqual(["admitted", "admitted"]);
  expect(await fetchKinds([params, params], otherLimiter)).toEqual(["admitted", "refused"]);
  expect(await submitTimes(caller, 4)).not.toContain(false);
  expect(await submitTimes(caller, 7, otherLimiter)).toEqual([
    ...Array<boolean>(6).fill(true),
    false,
  ]);
  await fetchKinds(Array.from({ length: 15 }, (_, index) => wrongKey(`a${index}`)));
  await fetchKinds(
    Array.from({ length: 15 }, (_, index) => wrongKey(`b${index}`)),
    otherLimiter,
  );
  expect(await fetchKinds([params])).toEqual(["blocked"]);
  expect(await fetchKinds([params], otherLimiter)).toEqual(["blocked"]);
});

test("limiters on different stores count submissions separately", async () => {
  const otherAccounts = createTestAccounts();
  const { caller } = await makeCaller();
  await submitTimes(caller, 10);
  const otherLimiter = createLimiter(otherAccounts.store, clock, defaultLimits);
  expect(await submitTimes(caller, 1, otherLimiter)).toEqual([true]);
  otherAccounts.remove();
});

test("calls that arrive out of order never exceed a limit", async () => {
  const { caller } = await makeCaller();
  const at = (elapsed: number) =>
    createLimiter(accounts.store, { ...clock, elapsed: () => elapsed }, defaultLimits);
  const times = [5, 3, 9, 1, 9, 8, 2, 7, 4, 6];
  for (const ms of times) expect(await submitTimes(caller, 1, at(ms))).toEqual([true]);
  expect(await submitTimes(caller, 1, at(0))).toEqual([false]);
  const otherCaller = (await makeCaller({ submissionsPerMinute: 1 })).caller;
  const lateDecision = await at(0).takeSubmission(otherCaller);
  expect(lateDecision.limits.policies).toMatchObject([{ growsInMs: 0 }, { growsInMs: 60_000 }]);
  await lateDecision.refund();
  expect(await submitTimes(otherCaller, 2, at(1))).toEqual([true, false]);
  expect(await submitTimes(caller, 1, at(60_004))).toEqual([false]);
  // The first two submissions count as made at 5, the others at 9.
  expect(await submitTimes(caller, 3, at(60_006))).toEqual([true, true, false]);
  expect(await submitTimes(caller, 9, at(60_009))).toEqual([
    ...Array<boolean>(8).fill(true),
    false,
  ]);
});

test("excess reads of a caller's own job wait in turn for up to two seconds", async () => {
  const { key, params } = await makeCaller();
  accounts.addJob(key, "0f8fad5b", clock.now());
  const readParams = { ...params, readOf: "0F8FAD5B" };
  const admissions = await Promise.all(Array.from({ length: 10 }, () => limiter.admit(readParams)));
  expect(admissions.map((admission) => ("waitMs" in admission ? admission.waitMs : null))).toEqual([
    0,
    0,
    0,
    1_000,
    1_000,
    1_000,
    2_000,
    2_000,
    2_000,
    null,
  ]);
  expect(admissions.at(-1)).toMatchObject({ kind: "refused", retryAfterMs: 3_000 });
});

test("excess reads of missing jobs or other callers' jobs do not wait, and neither do other calls", async () => {
  const { key, params } = await makeCaller();
  const { key: otherKey } = await makeCaller();
  accounts.addJob(key, "own", clock.now());
  accounts.addJob(otherKey, "another", clock.now());
  await fetchKinds([params, params, params]);
  const reads = ["another", "nobody", "", null].map((readOf) => ({ ...params, readOf }));
  expect(await fetchKinds(reads)).toEqual(Array(4).fill("refused"));
  expect(await fetchKinds([{ ...params, readOf: "own" }])).toEqual(["admitted"]);
});

test("thirty different wrong keys from an address block it, even for a valid key", async () => {
  const { key, params } = await makeCaller();
  const otherSecret = (await makeCaller()).key.token.slice(13);
  const guesses = [
    wrongKey("nothing like a key"),
    wrongKey(`${key.token}0`),
    wrongKey(`ear_${key.id}_${otherSecret}`),
    { ...call, authorization: "Basic ZWFyOmVhcg==" },
    ...Array.from({ length: 25 }, (_, index) => wrongKey(`ear_${index}`)),
  ];
  expect(new Set(await fetchKinds([...guesses, ...guesses]))).toEqual(new Set(["unknown"]));
  expect(await fetchKinds([{ ...call, authorization: undefined }, params])).toEqual([
    "unknown",
    "admitted",
  ]);
  await clock.advance(10_000);
  await limiter.admit(wrongKey("the thirtieth"));
  expect(await limiter.admit(params)).toEqual({ kind: "blocked", retryAfterMs: 50_000 });
  expect(await fetchKinds([{ ...params, address: "203.0.113.10" }])).toEqual(["admitted"]);
  await clock.advance(50_000);
  expect(await fetchKinds([params])).toEqual(["admitted"]);
});

test("wrong keys count as different if any part of their text differs", async () => {
  const { key, params } = await makeCaller();
  const secret = "a".repeat(32);
  const sameSecret = Array.from({ length: 10 }, (_, n) =>
    wrongKey(printApiKey({ id: `0000000${n}`, secret })),
  );
  const sameKey = Array.from({ length: 10 }, (_, n) => wrongKey(`${key.token}${n}`));
  const malformed = Array.from({ length: 10 }, (_, n) => wrongKey("?".repeat(n + 1)));
  expect(new Set(await fetchKinds([...sameSecret, ...sameKey, ...malformed]))).toEqual(
    new Set(["unknown"]),
  );
  expect(await fetchKinds([params])).toEqual(["blocked"]);
});

test("a revoked key counts as one wrong key, however often it is used", async () => {
  const { key, params } = await makeCaller();
  await accounts.store.write("revokeKey", { id: key.id, actor: "command_line", nowMs: 6 });
  const repeatedParams = Array.from({ length: 100 }, () => params);
  expect(new Set(await fetchKinds(repeatedParams))).toEqual(new Set(["unknown"]));
});

test("setting the clock back by an hour changes no limit", async () => {
  const { caller, params } = await makeCaller();
  await submitTimes(caller, 10);
  await fetchKinds([params, params, params]);
  clock.shiftWall(-3_600_000);
  expect(await submitTimes(caller, 1)).toEqual([false]);
  expect(await fetchKinds([params])).toEqual(["refused"]);
  await clock.advance(60_000);
  expect(await submitTimes(caller, 11)).toEqual([...Array<boolean>(10).fill(true), false]);
});

function restartLimiter(): Limiter {
  accounts = accounts.reopen();
  return createLimiter(accounts.store, clock, defaultLimits);
}

function addJobs(key: CreatedKey, secondsAgo: readonly number[]): void {
  for (const [index, seconds] of secondsAgo.entries()) {
    accounts.addJob(key, `${index}`, clock.now() - seconds * 1_000);
  }
}

test("submissions of the last minute still count after a restart", async () => {
  const { key, caller } = await makeCaller();
  addJobs(key, [70, 58, 50, 40, 30, 30, 20, 20, 10, 5]);
  const restartedLimiter = restartLimiter();
  expect(await submitTimes(caller, 2, restartedLimiter)).toEqual([true, false]);
  await clock.advance(1_999);
  expect(await submitTimes(caller, 1, restartedLimiter)).toEqual([false]);
  await clock.advance(1);
  expect(await submitTimes(caller, 2, restartedLimiter)).toEqual([true, false]);
});

test("after a restart with the clock set back, earlier submissions count for at most a minute", async () => {
  const { key, caller } = await makeCaller();
  addJobs(key, Array(10).fill(0));
  clock.shiftWall(-3_600_000);
  const restartedLimiter = restartLimiter();
  expect(await submitTimes(caller, 1, restartedLimiter)).toEqual([false]);
  await clock.advance(60_000);
  expect(await submitTimes(caller, 1, restartedLimiter)).toEqual([true]);
});
