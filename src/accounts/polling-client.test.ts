import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAccounts, type TestAccounts } from "../../testkit/service/accounts.ts";
import { createManualClock, type ManualClock } from "../lib/manual-clock.ts";
import { createLimiter } from "./limiter.ts";
import { defaultLimits } from "./limits.ts";

let accounts: TestAccounts;
beforeAll(() => {
  accounts = createTestAccounts();
});
afterAll(() => accounts.remove());

type Habits = {
  offsetsMs: readonly number[];
  polls: readonly number[];
  pollsAfter: "the last poll" | "the response";
};

const simulatedMs = 180_000;
let storeMs = 0;

/**
 * Simulates up to four searches, each polled once a second. Stops at the first refused poll or
 * fetch, but repeats refused submissions.
 */
async function simulate({ offsetsMs, polls, pollsAfter }: Habits): Promise<Record<string, number>> {
  const clock = createManualClock();
  const sharedClock = { ...clock, elapsed: () => storeMs + clock.elapsed() };
  const limiter = createLimiter(accounts.store, sharedClock, defaultLimits);
  const key = await accounts.makeKey();
  const { id: keyId, accountId } = key;
  const rates = { requestsPerSecond: null, submissionsPerMinute: null, ratesKeyId: keyId };
  const caller = { keyId, accountId, ...rates, methods: null };
  const params = {
    address: "203.0.113.9",
    authorization: `Bearer ${key.token}`,
    readOf: null,
    maxWaitMs: 2_000,
  };
  const counts = { polls: 0, fetches: 0, refused: 0 };
  let jobs = 0;

  async function submit(): Promise<string> {
    for (;;) {
      const admission = await limiter.admit(params);
      if (admission.kind === "admitted") {
        const { allowed, retryAfterMs } = await limiter.takeSubmission(caller);
        if (allowed) break;
        await clock.sleep(retryAfterMs);
      } else if (admission.kind === "refused") await clock.sleep(admission.retryAfterMs);
      else throw new Error(admission.kind);
    }
    jobs += 1;
    const uuid = `${keyId}-${jobs}`.toLowerCase();
    accounts.addJob({ ...key, id: "another" }, uuid, clock.now());
    return uuid;
  }

  async function readJob(uuid: string): Promise<boolean> {
    const admission = await limiter.admit({ ...params, readOf: uuid });
    if (admission.kind !== "admitted") {
      counts.refused += 1;
      return false;
    }
    await clock.sleep(Math.ceil(admission.waitMs));
    return true;
  }

  async function searchRepeatedly(offsetMs: number, first: number): Promise<void> {
    await clock.sleep(offsetMs);
    for (let search = first; clock.elapsed() < simulatedMs; search += 1) {
      const uuid = await submit();
      for (let poll = 0; poll < (polls[search % polls.length] ?? 1); poll += 1) {
        const startMs = clock.elapsed();
        if (!(await readJob(uuid))) return;
        counts.polls += 1;
        const countedMs = pollsAfter === "the response" ? 0 : clock.elapsed() - startMs;
        await clock.sleep(Math.max(0, 1_000 - countedMs));
      }
      if (!(await readJob(uuid))) return;
      counts.fetches += 1;
    }
  }

  const searches = offsetsMs.map((offsetMs, index) => searchRepeatedly(offsetMs, index));
  await advanceUntil(clock, Promise.all(searches));
  storeMs = sharedClock.elapsed();
  return counts;
}

async function advanceUntil(clock: ManualClock, end: Promise<unknown>): Promise<void> {
  let ended = false;
  const watched = end.finally(() => {
    ended = true;
  });
  while (!ended) await clock.advance(10_000);
  await watched;
}

test.each<[string, Habits]>([
  ["all four together", { offsetsMs: [0, 0, 0, 0], polls: [100], pollsAfter: "the last poll" }],
  ["evenly spaced", { offsetsMs: [0, 250, 500, 750], polls: [100], pollsAfter: "the last poll" }],
  [
    "one of them late",
    { offsetsMs: [0, 0, 0, 999], polls: [3, 20, 40], pollsAfter: "the response" },
  ],
  ["all of them short", { offsetsMs: [0, 10, 20, 30], polls: [1], pollsAfter: "the last poll" }],
])("a client with four searches, %s, is never refused a poll or a fetch", async (_, habits) => {
  const { polls = 0, fetches, refused } = await simulate(habits);
  expect(refused).toBe(0);
  expect(fetches).toBeGreaterThanOrEqual(4);
  expect(polls).toBeGreaterThanOrEqual(25);
});

test("a client with four searches and random polling habits is never refused a poll or a fetch", async () => {
  const habits = fc.record({
    offsetsMs: fc.array(fc.nat({ max: 2_000 }), { minLength: 4, maxLength: 4 }),
    polls: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
    pollsAfter: fc.constantFrom("the last poll" as const, "the response" as const),
  });
  await fc.assert(
    fc.asyncProperty(habits, async (one) => {
      expect(await simulate(one)).toMatchObject({ refused: 0 });
    }),
    { numRuns: 5 },
  );
});
