import fc from "fast-check";
import { test } from "vitest";
import { seek } from "./seek.ts";

test("seeking finds the first value that is not below the requested one, from any start", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500)), fc.nat(60), fc.nat(520), (values, from, value) => {
      const list = Uint16Array.from(values).sort();
      const start = Math.min(from, list.length);
      const expected = list.findIndex((number, index) => index >= start && number >= value);
      return seek(list, start, list.length, value) === (expected < 0 ? list.length : expected);
    }),
    {
      examples: [
        [[], 0, 0],
        [[1, 2, 3], 0, 4],
        [[1, 2, 3, 4, 5], 0, 5],
        [[5], 0, 5],
        [[5], 1, 5],
      ],
    },
  );
});
