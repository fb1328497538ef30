import fc from "fast-check";
import { expect, test } from "vitest";
import { isoText } from "./iso-time.ts";

test("every time is formatted as by toISOString(), but without zero milliseconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (ms) => {
      expect(isoText(ms)).toBe(new Date(ms).toISOString().replace(".000Z", "Z"));
    }),
    { numRuns: 2_000 },
  );
});
