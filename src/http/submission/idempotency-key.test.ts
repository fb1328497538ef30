import { expect, test } from "vitest";
import { readIdempotency } from "./submission.ts";

const request = {
  platform: "social",
  body: { type: "social", arguments: { query: "a", count: 2 } },
};

const computeHash = (submission: unknown) =>
  Buffer.from(
    readIdempotency({ "idempotency-key": "one" }, submission)?.requestHash ?? new Uint8Array(),
  ).toString("hex");

test("a submission without a key is not idempotent", () => {
  expect(readIdempotency({}, request)).toBeNull();
});

test.each(["a", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', " ~ ", "k".repeat(255)])(
  "%j is a valid idempotency key",
  (key) => {
    expect(readIdempotency({ "idempotency-key": key }, request)?.key).toBe(key);
  },
);

test.each(["", "k".repeat(256), "a\tb", "\u007f", "é"])(
  "%j is rejected as an idempotency key",
  (key) => {
    expect(() => readIdempotency({ "idempotency-key": key }, request)).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        status: 400,
        details: [expect.objectContaining({ pointer: "/idempotency-key" })],
      }),
    );
  },
);

test("the hash of a submission is a SHA-256 of the request, independent of the order of members", () => {
  expect(computeHash(request)).toMatch(/^[0-9a-f]{64}$/);
  const reordered = {
    body: { arguments: { count: 2, query: "a" }, type: "social" },
    platform: "social",
  };
  expect(computeHash(reordered)).toBe(computeHash(request));
});

test.each([
  { ...request, platform: "x" },
  { ...request, body: { ...request.body, type: "x" } },
  { ...request, body: { ...request.body, arguments: { query: "a", count: 3 } } },
  { ...request, body: { ...request.body, arguments: { query: "a", count: "2" } } },
  { ...request, body: { ...request.body, arguments: { query: "a", count: 2, sort: "newest" } } },
  { ...request, body: [request.body] },
])("a different request has a different hash: %j", (other) => {
  expect(computeHash(other)).not.toBe(computeHash(request));
});
