import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../testkit/service/accounts.ts";
import { createManualClock, type ManualClock } from "../lib/manual-clock.ts";
import { createLimiter, type SubmissionDecision } from "./limiter.ts";
import { defaultLimits } from "./limits.ts";

let accounts: TestAccounts;
beforeAll(() => {
  accounts = createTestAccounts();
});
afterAll(() => accounts.remove());

function createOracle(limit: number, windowMs: number) {
  const calls: number[] = [];
  const countedAt = (ms: number) => calls.filter((atMs) => atMs + windowMs > ms).length;
  return {
    calls,
    windowMs,
    limit,
    remaining: (nowMs: number) => Math.max(0, limit - countedAt(nowMs)),
    waitMs: (nowMs: number) => {
      const moments = [nowMs, ...calls.map((atMs) => atMs + windowMs)].filter((ms) => ms >= nowMs);
      return Math.min(...moments.filter((ms) => countedAt(ms) < limit)) - nowMs;
    },
  };
}

type Oracle = ReturnType<typeof createOracle>;

function expectLimitInEveryWindow({ calls, windowMs, limit }: Oracle): void {
  for (const fromMs of calls) {
    const inWindow = calls.filter((atMs) => atMs >= fromMs && atMs < fromMs + windowMs);
    expect(inWindow.length).toBeLessThanOrEqual(limit);
  }
}

const step = fc.record({
  afterMs: fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: 12_000 }), fc.constant(0)),
  wallShiftMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer()),
  context: fc.nat({ max: 1 }),
  key: fc.nat({ max: 1 }),
  what: fc.constantFrom("call", "read", "submit", "submit", "refund"),
});

async function makeKey(
  clock: ManualClock,
  requestsPerSecond: number,
  submissionsPerMinute: number,
) {
  const key = await accounts.makeKey({ requestsPerSecond, submissionsPerMinute });
  const uuid = key.id.toLowerCase();
  accounts.addJob({ ...key, id: "another key of the account" }, uuid, clock.now());
  return {
    authorization: `Bearer ${key.token}`,
    caller: {
      keyId: key.id,
      accountId: key.accountId,
      requestsPerSecond,
      submissionsPerMinute,
      methods: null,
      ratesKeyId: key.id,
    },
    uuid,
    burst: createOracle(requestsPerSecond, 1_000),
    search: createOracle(submissionsPerMinute, 60_000),
    allowed: [] as SubmissionDecision[],
  };
}

test("the limiter decides on random traffic with two keys like a reference that checks every past call", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 120 }), async (steps) => {
      const clock = createManualClock();
      const startMs = runStart();
      clock.elapsed = () => startMs + sinceStartMs;
      let sinceStartMs = 0;
      const contexts = [0, 1].map(() => createLimiter(accounts.store, clock, defaultLimits));
      const keys = [await makeKey(clock, 3, 10), await makeKey(clock, 1, 2)];
      for (const { afterMs, wallShiftMs, context, key: which, what } of steps) {
        sinceStartMs += afterMs;
        clock.shiftWall(wallShiftMs);
        const nowMs = clock.elapsed();
        const [limiter, key] = [contexts[context], keys[which]];
        if (limiter === undefined || key === undefined) throw new Error("two of each");
        const { burst, search, caller } = key;
        if (what === "submit") {
          const waitMs = search.waitMs(nowMs);
          const decision = await limiter.takeSubmission(caller);
          expect(decision).toMatchObject({ allowed: waitMs === 0, retryAfterMs: waitMs });
          if (!decision.allowed) continue;
          search.calls.push(nowMs);
          key.allowed.push(decision);
        } else if (what === "refund") {
          const decision = key.allowed.shift();
          if (decision === undefined) continue;
          await decision.refund();
          search.calls.shift();
        } else {
          const waitMs = burst.waitMs(nowMs);
          const maxWaitMs = what === "read" ? 2_000 : 0;
          const { authorization } = key;
          const readOf = what === "read" ? key.uuid : null;
          const params = { address: "203.0.113.9", authorization, readOf, maxWaitMs: 2_000 };
          const admission = await limiter.admit(params);
          expect(admission).toMatchObject(
            waitMs <= maxWaitMs
              ? { kind: "admitted", waitMs }
              : { kind: "refused", retryAfterMs: waitMs },
          );
          if (admission.kind === "admitted") burst.calls.push(nowMs + waitMs);
        }
        expect((await limiter.state(caller)).policies).toMatchObject([
          { remaining: burst.remaining(nowMs) },
          { remaining: search.remaining(nowMs) },
        ]);
      }
      for (const { burst, search } of keys) {
        expectLimitInEveryWindow(burst);
        expectLimitInEveryWindow(search);
      }
    }),
    { numRuns: 60 },
  );
});

let runs = 0;
/** The store's time must not decrease between runs. */
function runStart(): number {
  runs += 1;
  return runs * 100_000_000;
}
