import fc from "fast-check";
import { expect, test } from "vitest";
import { startCpuTime } from "../../testkit/cpu-time.ts";
import { withoutTokens } from "./without-secrets.ts";

test("a message without apparent credentials is unchanged", () => {
  for (const output of [
    "Could not find tweet with id: [1234567890123456789].",
    "the Bearer token is missing",
    "This action is outside the authorized scopes",
    "profile not found: did:plc:aaaaaaaaaaaaaaaaaaaaaaaa",
  ]) {
    expect(withoutTokens(output)).toBe(output);
  }
  for (const nothing of [undefined, null, 1, {}, ["a"]]) expect(withoutTokens(nothing)).toBe("");
});

test("an echoed authorization header is redacted, even if its token is short", () => {
  expect(withoutTokens("no: Authorization: Bearer abc-1, Basic  YWJjOjE=")).toBe(
    "no: Authorization: Bearer …, Basic …",
  );
  expect(withoutTokens("dpop\tey.x and bearer a%2Bb==")).toBe("dpop … and bearer …");
});

test("a long run of token characters is redacted anywhere", () => {
  const token = `${"Ab3_".repeat(20)}.x/y+z==`;
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.string({ unit: fc.constantFrom(" ", "word ", "\n", "\u001b", token), maxLength: 80 }),
      (before, after) => {
        const cleaned = withoutTokens(`${before} ${token} ${after}`);
        expect(cleaned).not.toMatch(/Ab3_/);
        expect(cleaned).not.toMatch(/[\p{Cc}]/u);
        expect(cleaned.length).toBeLessThanOrEqual(201);
      },
    ),
  );
});

test("no part of a token remains where the text is cut", () => {
  for (let words = 3_900; words < 4_010; words += 1) {
    const long = `${"Ab3_".repeat(20)} `.repeat(Math.floor(words / 81));
    const cleaned = withoutTokens(`${long}${"x ".repeat((words % 81) / 2)}${"Ab3_".repeat(20)}`);
    expect(cleaned).not.toContain("Ab3_");
  }
  expect(withoutTokens(`${"a ".repeat(95)}secret-password`)).toBe(`${"a ".repeat(95)}…`);
});

test("tokens are redacted in linear time", () => {
  const cpuMs = startCpuTime();
  for (const hostile of [
    "a".repeat(1e6),
    `${"-".repeat(3_999)}!`.repeat(200),
    "bearer ".repeat(1e5),
  ]) {
    withoutTokens(hostile);
  }
  expect(cpuMs()).toBeLessThan(500);
});
