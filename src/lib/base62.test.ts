import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeBase62, randomBase62 } from "./base62.ts";

test("base62 writes the most significant digit first, padded with zeros", () => {
  expect(encodeBase62(0, 3)).toBe("000");
  expect(encodeBase62(61, 2)).toBe("0z");
  expect(encodeBase62(62, 2)).toBe("10");
  expect(encodeBase62(0xff_ff_ff_ff, 6)).toBe("4gfFC3");
});

test("base62 texts of numbers below 62^length sort like the numbers", () => {
  const number = fc.nat({ max: 0xff_ff_ff_ff });
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(encodeBase62(a, 6) < encodeBase62(b, 6)).toBe(a < b);
    }),
  );
});

test("random base62 text has the requested length, without bytes that would bias a digit", () => {
  expect(randomBase62(32, randomBytes)).toMatch(/^[0-9A-Za-z]{32}$/);
  const bytes = [[255, 248, 247], [0, 61], [1]];
  const scripted = () => Uint8Array.from(bytes.shift() ?? []);
  expect(randomBase62(3, scripted)).toBe("z0z");
});
