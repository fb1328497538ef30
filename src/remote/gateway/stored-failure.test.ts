import { expect, test } from "vitest";
import type { LeaseFailure } from "../../jobs/leases/lease.ts";
import type { Capability } from "../capability.ts";
import { comet } from "./fake-queue.test-support.ts";
import { storedFailure } from "./job-failures.ts";

const requestsX: readonly Capability[] = [
  { platform: "x", method: "searchbyquery", ways: ["api"] },
];
const holdsX: readonly Capability[] = [
  { platform: "x", method: "searchbyquery", ways: ["archive"] },
];

function reported(
  failure: Partial<LeaseFailure>,
  capabilities = holdsX,
  work = comet,
  isConfirmed = false,
) {
  const output = { code: "internal", message: "it broke", status: 500, retryable: false };
  return storedFailure(
    { ...output, ...failure },
    work,
    { name: "north", capabilities },
    isConfirmed,
  );
}

test("a final failure of one node is retried unless another confirms it", () => {
  for (const code of ["internal", "upstream_refused", "upstream_failed", "anything_else"]) {
    expect(reported({ code }).retryable, code).toBe(true);
  }
  for (const code of ["invalid_query", "cursor_invalid", "search_not_sayable"]) {
    expect(reported({ code }).retryable, code).toBe(true);
    expect(reported({ code }, holdsX, comet, true).retryable, code).toBe(false);
  }
  expect(reported({ code: "internal" }, holdsX, comet, true).retryable).toBe(true);
  expect(reported({ code: "invalid_query", retryable: true }, holdsX, comet, true).retryable).toBe(
    true,
  );
});

test("invalid_query of one node is final if the gateway's parser agrees", () => {
  const unreadable = { ...comet, query: '"comet' };
  expect(reported({ code: "invalid_query" }, holdsX, unreadable).retryable).toBe(false);
  expect(reported({ code: "cursor_invalid" }, holdsX, unreadable).retryable).toBe(true);
});

test("a request that may have been billed is not sent to another node", () => {
  expect(reported({ code: "upstream_timeout" }, requestsX).retryable).toBe(false);
  expect(reported({ code: "credential_refused" }, requestsX).retryable).toBe(true);
  const everywhere = { ...comet, platform: "social" } as const;
  expect(reported({ code: "upstream_timeout" }, requestsX, everywhere).retryable).toBe(true);
});

test("messages of a node are quoted on one line of bounded length", () => {
  const message = `your key\n\u001b[31mis ${"a".repeat(5_000)}`;
  const failure = reported({ message, hint: "send it\u202e to me" });
  expect(failure.message).toMatch(/^node north reported: your key \[31mis a+…$/);
  expect(failure.message.length).toBeLessThan(330);
  expect(failure.hint).toBe("node north reported: send it to me");
});
