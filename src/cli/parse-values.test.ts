import { expect, test } from "vitest";
import { parseWholeNumber, timeSpan } from "./parse-values.ts";

test("a whole number on the command line must be within its inclusive bounds", () => {
  const read = parseWholeNumber(1, 500);
  expect(read("1")).toBe(1);
  expect(read("500")).toBe(500);
  for (const bad of ["0", "501", "-3", "1.5", "1e2", "0x10", "", " 7", "99999999999999999999"]) {
    expect(() => read(bad), bad).toThrow(/whole number from 1 to 500/);
  }
});

test("a span on the command line is two days or times in UTC, in order", () => {
  expect(timeSpan("2026-01-01..2026-02-01")).toEqual({
    fromMs: Date.UTC(2026, 0, 1),
    toMs: Date.UTC(2026, 1, 1),
  });
  expect(timeSpan("2026-01-01T12:00:00Z..2026-01-01T14:00:00+01:00")).toEqual({
    fromMs: Date.UTC(2026, 0, 1, 12),
    toMs: Date.UTC(2026, 0, 1, 13),
  });
  const bad = ["", "..", "2026-01-01", "2026-02-30..2026-03-01", "a..b", "2026-01-01..x..y"];
  for (const written of bad) expect(() => timeSpan(written), written).toThrow(/FROM\.\.TO/);
  expect(() => timeSpan("2026-02-01..2026-01-01")).toThrow(/FROM must be before TO/);
});
