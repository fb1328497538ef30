import { beforeEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../lib/manual-clock.ts";
import { type AdmittedCallers, createAdmittedCallers } from "./admitted-callers.ts";
import type { Caller } from "./authenticate.ts";
import type { RateOutcome } from "./limit-operations.ts";

let clock: ManualClock;
let callers: AdmittedCallers;
beforeEach(() => {
  clock = createManualClock();
  callers = createAdmittedCallers(clock);
});

const caller: Caller = {
  ...{ keyId: "key", accountId: "account", ratesKeyId: "key", methods: null },
  ...{ requestsPerSecond: 3, submissionsPerMinute: 10 },
};

function admittedOutcome(remaining: number, overrides: Partial<Caller> = {}): RateOutcome {
  const policy = { policy: "burst", limit: 3, windowMs: 1_000, remaining, growsInMs: 0 } as const;
  const policies = [policy, { ...policy, policy: "search" } as const];
  return {
    kind: "admitted",
    caller: { ...caller, ...overrides },
    waitMs: 0,
    policies,
    searchMs: 0,
  };
}

test("an admitted caller is remembered for a minute", async () => {
  callers.record("presented", admittedOutcome(1));
  await clock.advance(59_999);
  expect(callers.find("presented")).toEqual(caller);
  expect(callers.find("other")).toBeNull();
  await clock.advance(1);
  expect(callers.find("presented")).toBeNull();
});

test.each([
  ["is refused", null],
  ["has no remaining calls", admittedOutcome(0)],
  ["shares its account's limits", admittedOutcome(1, { accountSubmissionsPerMinute: 5 })],
])("an admitted caller is forgotten when it %s", (_what, outcome) => {
  callers.record("presented", admittedOutcome(1));
  callers.record("presented", outcome);
  expect(callers.find("presented")).toBeNull();
});

test("only the most recently admitted callers are remembered", () => {
  for (let n = 0; n <= 10_000; n += 1) callers.record(`presented ${n}`, admittedOutcome(1));
  expect(callers.find("presented 0")).toBeNull();
  expect(callers.find("presented 1")).not.toBeNull();
  expect(callers.find("presented 10000")).not.toBeNull();
});
