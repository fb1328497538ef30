import fc from "fast-check";
import { expect, test } from "vitest";
import { startCpuTime } from "../../../testkit/cpu-time.ts";
import { EarshotError } from "../../lib/errors.ts";
import { preferredWaitSeconds } from "./prefer.ts";

test.each([
  [undefined, 0],
  ["", 0],
  [" , ,", 0],
  ["wait=1", 1],
  ["wait=30", 30],
  ["WAIT=10", 10],
  ['wait="10"', 10],
  ['wait="1\\0"', 10],
  ["wait = 10", 10],
  ["wait=010", 10],
  ["respond-async, wait=10", 10],
  ["respond-async,wait=10;strict;x=y", 10],
  ['foo; some-parameter, bar="a, wait=5"; q="\\"", wait=10', 10],
  ["wait=10, wait=20", 10],
  ["waiting=10", 0],
  ["handling=lenient; wait=10", 0],
  ["return=minimal", 0],
  ["wait=0", 0],
  ["wait=31", 30],
  ["wait=99999999999999999999999", 30],
])("Prefer: %s requests a wait of %i seconds", (field, seconds) => {
  expect(preferredWaitSeconds(field)).toBe(seconds);
});

test.each([
  "wait",
  "wait=",
  'wait=""',
  "wait=-1",
  "wait=1.5",
  "wait=ten",
  "wait=1e1",
  "wait=١",
  "wait=10 20",
  "wait=10=20",
  'wait="10',
  "=10",
  "@",
  "respond-async wait=10",
])("Prefer: %s is rejected with an error that names the header", (field) => {
  expect(() => preferredWaitSeconds(field)).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      status: 400,
      details: [expect.objectContaining({ pointer: "/prefer" })],
    }),
  );
});

test("any Prefer header is either parsed or rejected", () => {
  const piece = fc.constantFrom("wait", "=", ";", ",", '"', "\\", " ", "\t", "10", "a", "é");
  const field = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(field, (header) => {
      try {
        expect([...Array(31).keys()]).toContain(preferredWaitSeconds(header));
      } catch (error) {
        expect(error).toBeInstanceOf(EarshotError);
      }
    }),
  );
});

test("a hostile Prefer header of 16 KB is parsed quickly", () => {
  const hostileHeaders = [
    "wait".repeat(4_000),
    `a${";".repeat(16_000)}`,
    `a="${"\\".repeat(16_000)}`,
    `a${" ".repeat(16_000)}b`,
    `a=${'"b" '.repeat(4_000)}`,
    `${",".repeat(16_000)}@`,
    "a;b=".repeat(4_000),
  ];
  const cpuMs = startCpuTime();
  for (const field of hostileHeaders) {
    try {
      preferredWaitSeconds(field);
    } catch (error) {
      expect(error).toBeInstanceOf(EarshotError);
    }
  }
  expect(cpuMs()).toBeLessThan(1_000);
});
