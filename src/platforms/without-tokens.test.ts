import fc from "fast-check";
import { expect, test } from "vitest";
import { startCpuTime } from "../../testkit/cpu-time.ts";
import { withoutTokens } from "./without-tokens.ts";

test("leaves a message without apparent credentials unchanged", () => {
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

test("redacts a repeated header, however short its token", () => {
  expect(withoutTokens("no: Authorization: Bearer abc-1, Basic  YWJjOjE=")).toBe(
    "no: Authorization: Bearer …, Basic …",
  );
  expect(withoutTokens("dpop\tey.x and bearer a%2Bb==")).toBe("dpop … and bearer …");
});

test("redacts a long run of token characters anywhere", () => {
  const token = `${"Ab3_".repeat(20)}.x/y+z==`;
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.string({ unit: fc.constantFrom(" ", "word ", "\n", "\u001b", token), maxLength: 80 }),
      (before, after) => {
        const shown = withoutTokens(`${before} ${token} ${after}`);
        expect(shown).not.toMatch(/Ab3_/);
        expect(shown).not.toMatch(/[\p{Cc}]/u);
        expect(shown.length).toBeLessThanOrEqual(201);
      },
    ),
  );
});

test("leaves no part of a token where the text is cut", () => {
  for (let words = 3_900; words < 4_010; words += 1) {
    const long = `${"Ab3_".repeat(20)} `.repeat(Math.floor(words / 81));
    const shown = withoutTokens(`${long}${"x ".repeat((words % 81) / 2)}${"Ab3_".repeat(20)}`);
    expect(shown).not.toContain("Ab3_");
  }
  expect(withoutTokens(`${"a ".repeat(95)}secret-password`)).toBe(`${"a ".repeat(95)}…`);
});

test("runs in linear time", () => {
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
