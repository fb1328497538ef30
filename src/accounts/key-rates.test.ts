import { expect, test } from "vitest";
import { createKeyRates, type RatedKey } from "./rates.ts";

const key: RatedKey = { keyId: "key", requestsPerSecond: 3, submissionsPerMinute: 10 };

function submitTimes(rates: ReturnType<typeof createKeyRates>, times: number, nowMs: number) {
  return Array.from({ length: times }, () => rates.takeSubmission(key, nowMs).allowed);
}

test("the 11th submission within a minute is refused at 59.9 s and allowed at 60.1 s", () => {
  const rates = createKeyRates();
  expect(submitTimes(rates, 10, 0)).not.toContain(false);
  expect(rates.takeSubmission(key, 59_900)).toEqual({ allowed: false, waitMs: 100 });
  expect(rates.takeSubmission(key, 60_100)).toEqual({ allowed: true, waitMs: 0 });
});

test("the rate window slides: each of ten submissions permits another one a minute later", () => {
  const rates = createKeyRates();
  for (let nowMs = 0; nowMs < 60_000; nowMs += 6_000) {
    expect(rates.takeSubmission(key, nowMs).allowed).toBe(true);
  }
  expect(submitTimes(rates, 2, 60_000)).toEqual([true, false]);
  expect(submitTimes(rates, 2, 66_000)).toEqual([true, false]);
});

test("the 4th request within any second is refused", () => {
  const rates = createKeyRates();
  const take = (nowMs: number) => rates.takeRequest(key, 0, nowMs);
  expect([take(900), take(900), take(900)].map(({ allowed }) => allowed)).not.toContain(false);
  expect(take(1_100)).toEqual({ allowed: false, waitMs: 800 });
  expect(take(1_900).allowed).toBe(true);
});

test("requests that may wait are allowed in turn within their maximum wait", () => {
  const rates = createKeyRates();
  const decisions = Array.from({ length: 10 }, () => rates.takeRequest(key, 2_000, 0));
  expect(decisions.map(({ waitMs }) => waitMs)).toEqual([
    0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000, 2_000, 3_000,
  ]);
  expect(decisions.map(({ allowed }) => allowed).indexOf(false)).toBe(9);
  expect(rates.takeRequest(key, 0, 2_000)).toEqual({ allowed: false, waitMs: 1_000 });
});

test("refused calls do not count against the limits", () => {
  const rates = createKeyRates();
  submitTimes(rates, 10, 0);
  expect(submitTimes(rates, 100, 30_000)).not.toContain(true);
  expect(submitTimes(rates, 10, 60_000)).not.toContain(false);
});

test("a refunded submission does not count against the limits", () => {
  const rates = createKeyRates();
  submitTimes(rates, 4, 0);
  rates.takeSubmission(key, 5);
  submitTimes(rates, 5, 10);
  rates.giveBackSubmission(key, 5);
  rates.giveBackSubmission(key, 5);
  expect(submitTimes(rates, 2, 20)).toEqual([true, false]);
});

test("a key's own limits have no upper bound", () => {
  const rates = createKeyRates();
  const quick = { ...key, requestsPerSecond: 1_000_000 };
  for (let index = 0; index < 1_000_000; index += 1) rates.takeRequest(quick, 0, 0);
  expect(rates.takeRequest(quick, 0, 0).allowed).toBe(false);
  expect(rates.takeRequest({ ...quick, keyId: "another" }, 0, 0).allowed).toBe(true);
});

test("the limiter evicts only keys without counted calls", () => {
  const rates = createKeyRates();
  for (let index = 0; index < 1_000; index += 1) {
    rates.takeRequest({ ...key, keyId: `${index}` }, 0, index);
  }
  rates.takeSubmission(key, 1_000);
  for (let nowMs = 2_000; nowMs < 3_000; nowMs += 1) rates.state(key, nowMs);
  expect(rates.size()).toBe(1);
  for (let index = 0; index < 10; index += 1) {
    rates.takeRequest({ ...key, keyId: `${index}` }, 0, 60_000);
  }
  expect(rates.state(key, 60_000)).toMatchObject([{ remaining: 3 }, { remaining: 9 }]);
});

const keyOfSharedAccount = (
  keyId: string,
  account: { requests?: number; submissions?: number },
): RatedKey => ({
  ...key,
  keyId,
  account: {
    accountId: "ann",
    requestsPerSecond: account.requests ?? null,
    submissionsPerMinute: account.submissions ?? null,
  },
});

test("the keys of an account that has its own limits share them", () => {
  const rates = createKeyRates();
  const [first, second] = ["one", "other"].map((id) => keyOfSharedAccount(id, { submissions: 2 }));
  if (first === undefined || second === undefined) throw new Error("two keys");
  expect(rates.takeSubmission(first, 0).allowed).toBe(true);
  expect(rates.takeSubmission(second, 10).allowed).toBe(true);
  expect(rates.takeSubmission(second, 1_000)).toEqual({ allowed: false, waitMs: 59_000 });
  expect(rates.state(first, 1_000)).toMatchObject([
    { policy: "burst", limit: 3, remaining: 3 },
    { policy: "search", limit: 10, remaining: 0, growsInMs: 59_000 },
  ]);
  rates.giveBackSubmission(second, 10);
  expect(rates.takeSubmission(first, 1_000).allowed).toBe(true);
  // A rate from the command line is not shared.
  expect(rates.takeSubmission({ ...key, keyId: "given" }, 1_000).allowed).toBe(true);
});

test("requests with different keys of an account wait in turn for the account's shared rate", () => {
  const rates = createKeyRates();
  const decisions = ["a", "b", "a", "b"].map(
    (id) => rates.takeRequest(keyOfSharedAccount(id, { requests: 1 }), 2_000, 0).waitMs,
  );
  expect(decisions).toEqual([0, 1_000, 2_000, 3_000]);
});

test("the limiter evicts accounts without counted calls", () => {
  const rates = createKeyRates();
  for (let index = 0; index < 100; index += 1) {
    const account = { accountId: `${index}`, requestsPerSecond: 1, submissionsPerMinute: null };
    expect(rates.takeRequest({ ...key, keyId: `${index}`, account }, 0, index).allowed).toBe(true);
  }
  for (let nowMs = 2_000; nowMs < 2_200; nowMs += 1) rates.state(key, nowMs);
  expect(rates.size()).toBe(1);
});
