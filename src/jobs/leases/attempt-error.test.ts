import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { errorCause, toLeaseFailure } from "./attempt-error.ts";

const query = "canaryword";

test.each([
  [new Error(`fts5: syntax error near "${query}"`), "internal", "internal error"],
  [
    new EarshotError("internal", `cannot read ${query}`, { status: 500 }),
    "internal",
    "internal error",
  ],
  [
    new EarshotError("archive_unavailable", `the archive cannot be used: near "${query}"`, {
      status: 503,
      retryable: true,
    }),
    "archive_unavailable",
    "the archive is temporarily unavailable",
  ],
])(
  "neither the caller nor the log gets internal details of an attempt's error: %s",
  (error, code, message) => {
    expect(toLeaseFailure(error)).toMatchObject({ code, message });
    expect(errorCause(error)).toEqual({ code, error: "unknown error" });
  },
);

test("the log contains the database engine's message for a failed attempt", () => {
  const cause = new Error("database disk image is malformed");
  const error = new EarshotError("archive_unavailable", "the archive cannot be used", { cause });
  expect(errorCause(error)).toEqual({
    code: "archive_unavailable",
    error: "database disk image is malformed",
  });
});

test("an attempt's error that concerns the caller reaches the caller and the log", () => {
  const error = new EarshotError("invalid_query", "too deep", { status: 400 });
  expect(toLeaseFailure(error)).toEqual({
    code: "invalid_query",
    message: "too deep",
    status: 400,
    retryable: false,
  });
  expect(errorCause(error)).toEqual({ code: "invalid_query", error: "too deep" });
});

test("the log, but not the caller, reports that a name resolves to a private address", () => {
  const cause = new EarshotError(
    "address_refused",
    "x.example resolves to an address that is not public",
  );
  const message = "x.example does not resolve to a public address";
  const error = new EarshotError("upstream_unreachable", message, { retryable: true, cause });
  expect(toLeaseFailure(error)).toMatchObject({ code: "upstream_unreachable", message });
  expect(errorCause(error).error).toBe(`${message}: ${cause.message}`);
});
