import { expect, test } from "vitest";
import { redactedReason, withoutSecrets } from "./without-secrets.ts";

const secrets = { token: "a+b/c==d", longer: "a+b/c==d-more", quoted: 'in"side', short: "12345" };

test("a secret is redacted in each form in which a response may echo it, the longest first", () => {
  expect(withoutSecrets("<a+b/c==d> <a%2Bb%2Fc%3D%3Dd> <a+b/c==d-more>", secrets)).toBe(
    "<…> <…> <…>",
  );
  expect(withoutSecrets(JSON.stringify({ echo: 'in"side' }), secrets)).toBe('{"echo":"…"}');
  expect(withoutSecrets('{"echo":"a+b\\/c==d"}', secrets)).toBe('{"echo":"…"}');
});

test("short values, which occur in any text, are not redacted", () => {
  expect(withoutSecrets("port 12345", secrets)).toBe("port 12345");
});

test("the reason for an error is one short line without control characters", () => {
  expect(redactedReason(" one\n\ttwo\u001b[31m ", {})).toBe("one two[31m");
  expect(redactedReason("x".repeat(1_000), {})).toHaveLength(300);
  expect(redactedReason("a+b\u0007/c\u001b==d", secrets)).toBe("…");
});
