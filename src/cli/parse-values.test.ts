import { expect, test } from "vitest";
import { parseWholeNumber, timeSpan } from "./parse-values.ts";

test("a whole number on the command line must be within its inclusive bounds", () => {
  const parse = parseWholeNumber(1, 500);
  expect(parse("1")).toBe(1);
  expect(parse("500")).toBe(500);
  for (const bad of ["0", "501", "-3", "1.5", "1e2", "0x10", "", " 7", "99999999999999999999"]) {
    expect(() => parse(bad), bad).toThrow(/whole number from 1 to 500/);
  }
});

test("a time range on the command line is two days or times, in order", () => {
  expect(timeSpan("2026-01-01..2026-02-01")).toEqual({
    fromMs: Date.UTC(2026, 0, 1),
    toMs: Date.UTC(2026, 1, 1),
  });
  expect(timeSpan("2026-01-01T12:00:00Z..2026-01-01T14:00:00+01:00")).toEqual({
    fromMs: Date.UTC(2026, 0, 1, 12),
    toMs: Date.UTC(2026, 0, 1, 13),
  });
  const bad = ["", "..", "2026-01-01", "2026-02-30..2026-03-01", "a..b", "2026-01-01..x..y"];
  for (const text of bad) expect(() => timeSpan(text), text).toThrow(/FROM\.\.TO/);
  expect(() => timeSpan("2026-02-01..2026-01-01")).toThrow(/FROM must be before TO/);
});
