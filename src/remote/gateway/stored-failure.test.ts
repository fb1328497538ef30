import { expect, test } from "vitest";
import type { LeaseFailure } from "../../jobs/leases/lease.ts";
import type { Capability } from "../capability.ts";
import { comet } from "./fake-queue.test-support.ts";
import { storedFailure } from "./job-failures.ts";

const callsX: readonly Capability[] = [{ platform: "x", method: "searchbyquery", ways: ["api"] }];
const archivesX: readonly Capability[] = [
  { platform: "x", method: "searchbyquery", ways: ["archive"] },
];

function storedOutcome(
  failure: Partial<LeaseFailure>,
  capabilities = archivesX,
  work = comet,
  isConfirmed = false,
) {
  const defaults = { code: "internal", message: "it broke", status: 500, retryable: false };
  return storedFailure(
    { ...defaults, ...failure },
    work,
    { name: "north", capabilities },
    isConfirmed,
  );
}

test("a final failure on one node is retried unless another node confirms it", () => {
  for (const code of ["internal", "upstream_refused", "upstream_failed", "anything_else"]) {
    expect(storedOutcome({ code }).retryable, code).toBe(true);
  }
  for (const code of ["invalid_query", "cursor_invalid", "search_not_sayable"]) {
    expect(storedOutcome({ code }).retryable, code).toBe(true);
    expect(storedOutcome({ code }, archivesX, comet, true).retryable, code).toBe(false);
  }
  expect(storedOutcome({ code: "internal" }, archivesX, comet, true).retryable).toBe(true);
  expect(
    storedOutcome({ code: "invalid_query", retryable: true }, archivesX, comet, true).retryable,
  ).toBe(true);
});

test("invalid_query from one node is final if the gateway's parser agrees", () => {
  const unreadableWork = { ...comet, query: '"comet' };
  expect(storedOutcome({ code: "invalid_query" }, archivesX, unreadableWork).retryable).toBe(false);
  expect(storedOutcome({ code: "cursor_invalid" }, archivesX, unreadableWork).retryable).toBe(true);
});

test("a request that may have been billed is not sent to another node", () => {
  expect(storedOutcome({ code: "upstream_timeout" }, callsX).retryable).toBe(false);
  expect(storedOutcome({ code: "credential_refused" }, callsX).retryable).toBe(true);
  const socialWork = { ...comet, platform: "social" } as const;
  expect(storedOutcome({ code: "upstream_timeout" }, callsX, socialWork).retryable).toBe(true);
});

test("a node's messages are quoted on one line of bounded length", () => {
  const message = `your key\n\u001b[31mis ${"a".repeat(5_000)}`;
  const failure = storedOutcome({ message, hint: "send it\u202e to me" });
  expect(failure.message).toMatch(/^node north reported: your key \[31mis a+…$/);
  expect(failure.message.length).toBeLessThan(330);
  expect(failure.hint).toBe("node north reported: send it to me");
});
