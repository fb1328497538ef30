import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readVarint, skipPositions, skipVarints } from "./bytes.ts";
import { SealedDamageError } from "./damage.ts";

const number = fc.oneof(
  fc.constantFrom(0, 1, 127, 128, 129, 255, 256, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 35 - 1),
  fc.nat(),
);
const numbers = fc.array(number, { maxLength: 20 });

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

const makeReader = (bytes: readonly number[]) => ({ bytes: Uint8Array.from(bytes), offset: 0 });

test("the byte reader reads varints in the order in which they were written", () => {
  fc.assert(
    fc.property(numbers, (written) => {
      const reader = makeReader(written.flatMap(varint));
      expect(written.map(() => readVarint(reader))).toEqual(written);
      expect(reader.offset).toBe(reader.bytes.length);
    }),
  );
});

test("the byte reader skips any number of varints", () => {
  fc.assert(
    fc.property(numbers, numbers, (passed, left) => {
      const reader = makeReader([...passed, ...left].flatMap(varint));
      skipVarints(reader, passed.length);
      expect(left.map(() => readVarint(reader))).toEqual(left);
    }),
  );
});

test("the byte reader skips the positions in posts, however many each post has", () => {
  const posts = fc.array(fc.array(fc.nat(70_000), { minLength: 1, maxLength: 5 }), {
    maxLength: 9,
  });
  fc.assert(
    fc.property(posts, number, (positions, left) => {
      const written = positions.flatMap((other) =>
        other.map((position, index) => position * 2 + (index < other.length - 1 ? 1 : 0)),
      );
      const reader = makeReader([...written, left].flatMap(varint));
      skipPositions(reader, positions.length);
      expect(readVarint(reader)).toBe(left);
    }),
    { examples: [[[[64], [128, 0], [8_192]], 128]] },
  );
});

describe("damaged bytes", () => {
  test.each([
    ["a truncated varint", [0x80, 0x80]],
    ["no varint", []],
    ["a varint that is too long", [0x80, 0x80, 0x80, 0x80, 0x80, 0]],
  ])("the byte reader reports damage if there is %s", (_name, bytes) => {
    expect(() => readVarint(makeReader(bytes))).toThrow(SealedDamageError);
  });

  test.each([
    ["is missing", [0, 1]],
    ["is truncated", [0, 1, 0x80]],
  ])("the byte reader reports damage if the skipped part %s", (_name, bytes) => {
    expect(() => skipVarints(makeReader(bytes), 3)).toThrow(SealedDamageError);
    expect(() => skipPositions(makeReader(bytes), 2)).toThrow(SealedDamageError);
  });
});
