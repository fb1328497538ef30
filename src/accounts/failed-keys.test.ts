import { expect, test } from "vitest";
import { createFailedKeys } from "./client-addresses.ts";

const limit = 30;
const address = "203.0.113.9";

function recordKeys(failedKeys: ReturnType<typeof createFailedKeys>, count: number, nowMs: number) {
  for (let index = 0; index < count; index += 1)
    failedKeys.record(address, `${index}`, limit, nowMs);
}

test("an address with 30 wrong keys in a minute is blocked until the oldest is a minute old", () => {
  const failedKeys = createFailedKeys();
  failedKeys.record(address, "first", limit, 0);
  recordKeys(failedKeys, 28, 10_000);
  expect(failedKeys.blockedMs(address, limit, 10_000)).toBe(0);
  failedKeys.record(`::ffff:${address}`, "last", limit, 10_000);
  expect(failedKeys.blockedMs(address, limit, 10_000)).toBe(50_000);
  expect(failedKeys.blockedMs("203.0.113.10", limit, 10_000)).toBe(0);
  expect(failedKeys.blockedMs(address, limit, 59_999)).toBe(1);
  expect(failedKeys.blockedMs(address, limit, 60_000)).toBe(0);
});

test("a wrong key that is repeated within a minute counts as one guess", () => {
  const failedKeys = createFailedKeys();
  for (let index = 0; index < 1_000; index += 1) failedKeys.record(address, "revoked", limit, 0);
  recordKeys(failedKeys, 28, 0);
  expect(failedKeys.blockedMs(address, limit, 0)).toBe(0);
  recordKeys(failedKeys, 29, 60_000);
  failedKeys.record(address, "revoked", limit, 60_000);
  expect(failedKeys.blockedMs(address, limit, 60_000)).toBe(60_000);
});

test("an IPv6 /64 counts as one address", () => {
  const failedKeys = createFailedKeys();
  for (let index = 0; index < limit; index += 1) {
    failedKeys.record(`2001:db8::${index + 1}`, `${index}`, limit, 0);
  }
  expect(failedKeys.blockedMs("2001:db8::ffff", limit, 0)).toBeGreaterThan(0);
  expect(failedKeys.blockedMs("2001:db8:0:1::1", limit, 0)).toBe(0);
});

test("the least recently seen address is evicted after 10,000 others", () => {
  const failedKeys = createFailedKeys();
  recordKeys(failedKeys, limit, 0);
  for (let index = 0; index < 10_000; index += 1) {
    failedKeys.record(`10.0.${index >> 8}.${index & 255}`, "wrong", limit, 0);
  }
  expect(failedKeys.blockedMs(address, limit, 0)).toBe(0);
});
