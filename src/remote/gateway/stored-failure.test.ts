import { expect, test } from "vitest";
import type { LeaseFailure } from "../../jobs/lease.ts";
import type { Capability } from "../capability.ts";
import { comet } from "./fake-queue.test-support.ts";
import { storedFailure } from "./penalties.ts";

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

test("what one node calls final is retried, unless another confirms that the request is wrong", () => {
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

test("invalid_query of one node is final where the gateway cannot read the query either", () => {
  const unreadable = { ...comet, query: '"comet' };
  expect(reported({ code: "invalid_query" }, holdsX, unreadable).retryable).toBe(false);
  expect(reported({ code: "cursor_invalid" }, holdsX, unreadable).retryable).toBe(true);
});

test("what may have been billed is not asked a second time of another", () => {
  expect(reported({ code: "upstream_timeout" }, requestsX).retryable).toBe(false);
  expect(reported({ code: "credential_refused" }, requestsX).retryable).toBe(true);
  const everywhere = { ...comet, platform: "social" } as const;
  expect(reported({ code: "upstream_timeout" }, requestsX, everywhere).retryable).toBe(true);
});

test("the words of a node are told as its own, in one line without an end of theirs", () => {
  const message = `your key\n\u001b[31mis ${"a".repeat(5_000)}`;
  const failure = reported({ message, hint: "send it\u202e to me" });
  expect(failure.message).toMatch(/^node north said: your key \[31mis a+…$/);
  expect(failure.message.length).toBeLessThan(330);
  expect(failure.hint).toBe("node north said: send it to me");
});
