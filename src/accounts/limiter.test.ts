import { beforeEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../lib/manual-clock.ts";
import type { Caller } from "./authenticate.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import { defaultLimits } from "./limits.ts";
import { rateLimitFields } from "./rate-limit-fields.ts";

const caller: Caller = {
  keyId: "key",
  accountId: "account",
  requestsPerSecond: null,
  submissionsPerMinute: null,
};

let clock: ManualClock;
let limiter: Limiter;

beforeEach(() => {
  clock = createManualClock();
  limiter = createLimiter(clock, defaultLimits);
});

function submitTimes(times: number): boolean[] {
  return Array.from({ length: times }, () => limiter.takeSubmission(caller).allowed);
}

test("the 11th submission is refused at 59.9 s and let through at 60.1 s", async () => {
  expect(submitTimes(10)).not.toContain(false);
  await clock.advance(59_900);
  expect(limiter.takeSubmission(caller)).toMatchObject({
    allowed: false,
    retryAfterMs: 100,
    policy: "search",
  });
  await clock.advance(200);
  expect(limiter.takeSubmission(caller).allowed).toBe(true);
});

test("the window slides: ten spread over a minute let one through for each that passes", async () => {
  for (let second = 0; second < 60; second += 6) {
    expect(limiter.takeSubmission(caller).allowed).toBe(true);
    await clock.advance(6_000);
  }
  expect(submitTimes(2)).toEqual([true, false]);
  await clock.advance(6_000);
  expect(submitTimes(2)).toEqual([true, false]);
});

test("the 4th request within a second is refused, also across the second's turn", async () => {
  await clock.advance(900);
  const take = () => limiter.takeRequest(caller);
  expect([take(), take(), take()].map(({ allowed }) => allowed)).toEqual([true, true, true]);
  await clock.advance(200);
  expect(take()).toEqual(
    expect.objectContaining({ allowed: false, retryAfterMs: 800, policy: "burst" }),
  );
  await clock.advance(800);
  expect(take().allowed).toBe(true);
});

test("refused calls cost nothing", async () => {
  submitTimes(10);
  await clock.advance(30_000);
  expect(submitTimes(100)).not.toContain(true);
  await clock.advance(30_000);
  expect(submitTimes(10)).not.toContain(false);
});

test("a submission that was given back was never made", async () => {
  submitTimes(4);
  const given = limiter.takeSubmission(caller);
  await clock.advance(10);
  submitTimes(5);
  given.giveBack();
  given.giveBack();
  expect(submitTimes(2)).toEqual([true, false]);
});

test("the clock put back by an hour changes nothing", async () => {
  submitTimes(10);
  clock.shiftWall(-3_600_000);
  expect(submitTimes(1)).toEqual([false]);
  await clock.advance(60_000);
  expect(submitTimes(11)).toEqual([...Array<boolean>(10).fill(true), false]);
});

test("after a restart in the middle of the minute the submissions before it still count", async () => {
  const nowMs = clock.now();
  const before = [5, 10, 20, 20, 30, 30, 40, 50, 58].map((seconds) => ({
    keyId: caller.keyId,
    ms: nowMs - seconds * 1000,
  }));
  limiter.rebuild([...before, { keyId: "another", ms: nowMs }], nowMs);
  expect(submitTimes(2)).toEqual([true, false]);
  await clock.advance(1_999);
  expect(submitTimes(1)).toEqual([false]);
  await clock.advance(1);
  expect(submitTimes(2)).toEqual([true, false]);
});

test("submissions from the future, made before the clock was put back, count for a minute", async () => {
  const ms = clock.now() + 3_600_000;
  limiter.rebuild(
    Array.from({ length: 10 }, () => ({ keyId: caller.keyId, ms })),
    clock.now(),
  );
  expect(submitTimes(1)).toEqual([false]);
  await clock.advance(60_000);
  expect(submitTimes(1)).toEqual([true]);
});

test("reads beyond the second wait for their turn, oldest first, up to two seconds", async () => {
  const order: number[] = [];
  const waits = Array.from({ length: 9 }, async (_, index) => {
    const decision = await limiter.waitForRequest(caller, 2_000);
    if (decision.allowed) order.push(index);
    return decision;
  });
  waits.push(limiter.waitForRequest(caller, 2_000));
  expect(await waits.at(-1)).toMatchObject({ allowed: false, retryAfterMs: 3_000 });
  await clock.advance(0);
  expect(order).toEqual([0, 1, 2]);
  await clock.advance(1_000);
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  await clock.advance(1_000);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(limiter.takeRequest(caller)).toMatchObject({ allowed: false, retryAfterMs: 1_000 });
});

test("a read whose client has gone stops waiting", async () => {
  const gone = new AbortController();
  for (let index = 0; index < 3; index += 1) limiter.takeRequest(caller);
  const wait = limiter.waitForRequest(caller, 2_000, gone.signal);
  gone.abort(new Error("gone"));
  await expect(wait).rejects.toThrow("gone");
});

test("a key's own limits have no upper bound", () => {
  const quick = { ...caller, requestsPerSecond: 1_000_000 };
  for (let index = 0; index < 1_000_000; index += 1) limiter.takeRequest(quick);
  expect(limiter.takeRequest(quick).allowed).toBe(false);
  expect(limiter.takeRequest({ ...quick, keyId: "another" }).allowed).toBe(true);
});

test("the header fields tell what is left and when more will be", async () => {
  expect(rateLimitFields(limiter.state(caller))).toEqual({
    "RateLimit-Policy": '"burst";q=3;w=1, "search";q=10;w=60',
    RateLimit: '"burst";r=3;t=0, "search";r=10;t=0',
  });
  limiter.takeRequest(caller);
  limiter.takeSubmission(caller);
  await clock.advance(1);
  expect(rateLimitFields(limiter.state(caller)).RateLimit).toBe(
    '"burst";r=2;t=1, "search";r=9;t=60',
  );
});

test("an address with 30 wrong keys in a minute is blocked until the oldest is a minute old", async () => {
  limiter.takeFailedAuth("203.0.113.9", "first");
  await clock.advance(10_000);
  for (let index = 0; index < 28; index += 1) limiter.takeFailedAuth("203.0.113.9", `${index}`);
  expect(limiter.blockedMs("203.0.113.9")).toBe(0);
  limiter.takeFailedAuth("::ffff:203.0.113.9", "last");
  expect(limiter.blockedMs("203.0.113.9")).toBe(50_000);
  expect(limiter.blockedMs("203.0.113.10")).toBe(0);
  await clock.advance(49_999);
  expect(limiter.blockedMs("203.0.113.9")).toBe(1);
  await clock.advance(1);
  expect(limiter.blockedMs("203.0.113.9")).toBe(0);
});

test("the same wrong key again is no new guess, until a minute has passed", async () => {
  for (let index = 0; index < 1_000; index += 1) limiter.takeFailedAuth("203.0.113.9", "revoked");
  for (let index = 0; index < 28; index += 1) limiter.takeFailedAuth("203.0.113.9", `${index}`);
  expect(limiter.blockedMs("203.0.113.9")).toBe(0);
  await clock.advance(60_000);
  for (let index = 0; index < 29; index += 1) limiter.takeFailedAuth("203.0.113.9", `${index}`);
  limiter.takeFailedAuth("203.0.113.9", "revoked");
  expect(limiter.blockedMs("203.0.113.9")).toBe(60_000);
});

test("an IPv6 network of 64 bits counts as one address", () => {
  for (let index = 0; index < 30; index += 1) {
    limiter.takeFailedAuth(`2001:db8::${index + 1}`, `${index}`);
  }
  expect(limiter.blockedMs("2001:db8::ffff")).toBeGreaterThan(0);
  expect(limiter.blockedMs("2001:db8:0:1::1")).toBe(0);
});

test("the table of addresses is bounded: the one that was quiet longest is forgotten", () => {
  for (let index = 0; index < 30; index += 1) limiter.takeFailedAuth("203.0.113.9", `${index}`);
  for (let index = 0; index < 10_000; index += 1) {
    limiter.takeFailedAuth(`10.0.${index >> 8}.${index & 255}`, "wrong");
  }
  expect(limiter.blockedMs("203.0.113.9")).toBe(0);
});
