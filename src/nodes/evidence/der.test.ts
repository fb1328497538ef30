import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { hexOf, readDer, tags, timeOf, valuesIn } from "./der.ts";
import { bits, der, identifier, integer, octets, sequence, time } from "./simulated/der-writer.ts";

const fault = expect.objectContaining({ name: "EarshotError", code: "der_malformed" });
const bytes = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");

describe("DER is read", () => {
  test("as it was written, whatever its length", () => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535]) {
      const content = Buffer.alloc(length, 7);
      expect(readDer(octets(content)).content).toEqual(content);
    }
  });

  test("value by value", () => {
    const written = sequence(integer(5), octets(bytes("beef")), sequence());
    const values = valuesIn(readDer(written));
    expect(values.map(({ tag }) => tag)).toEqual([tags.integer, tags.octetString, tags.sequence]);
    expect(Buffer.concat(values.map(({ whole }) => whole))).toEqual(written.subarray(2));
    expect(valuesIn(values[2])).toEqual([]);
  });

  test("with numbers in hexadecimal digits, and times in both of their forms", () => {
    expect(hexOf(readDer(integer(0)))).toBe("0");
    expect(hexOf(readDer(integer(0xff)))).toBe("ff");
    expect(hexOf(readDer(bytes("02 03 00 80 01")))).toBe("8001");
    for (const ms of [
      Date.UTC(1950, 0, 1),
      Date.UTC(2049, 11, 31, 23, 59, 59),
      Date.UTC(2050, 0, 1),
    ]) {
      expect(timeOf(readDer(time(ms)))).toBe(ms);
    }
  });
});

describe("what is no DER is refused", () => {
  test.each([
    ["nothing", ""],
    ["a tag alone", "30"],
    ["less than its length", "04 02 00"],
    ["more than its length", "04 01 00 00"],
    ["a length that is not definite", "30 80 00 00"],
    ["a length of five bytes", "04 85 00 00 00 00 01 00"],
    ["a length that is cut off", "04 82 01"],
    ["a length that could be shorter", "04 81 01 00"],
    ["a length with zeros before it", "04 82 00 80"],
    ["a length beyond all bytes", "04 84 ff ff ff ff 00"],
  ])("%s", (_name, hex) => {
    expect(() => readDer(bytes(hex))).toThrow(fault);
  });

  test("another tag than is asked for", () => {
    expect(() => valuesIn(readDer(integer(1)))).toThrow(fault);
    expect(() => valuesIn(undefined)).toThrow(fault);
    expect(() => hexOf(readDer(octets(bytes("01"))))).toThrow(fault);
    expect(() => timeOf(readDer(der(tags.utcTime, Buffer.from("260101000000+0100"))))).toThrow(
      fault,
    );
    expect(() => timeOf(readDer(der(tags.generalizedTime, Buffer.from("260101000000Z"))))).toThrow(
      fault,
    );
    expect(() => timeOf(readDer(bits(bytes("00"))))).toThrow(fault);
  });
});

test("no bytes at all bring the reader down", () => {
  const walk = (input: Uint8Array, depth: number) => {
    for (const value of valuesIn(readDer(input))) {
      if (depth < 5 && value.tag === tags.sequence) walk(value.whole, depth + 1);
      if (value.tag === tags.utcTime) timeOf(value);
    }
  };
  const some = sequence(
    sequence(identifier("2.5.4.3"), time(0)),
    integer(70_000),
    bits(bytes("00 ff")),
  );
  const damaged = fc
    .tuple(fc.nat(some.length - 1), fc.nat(255))
    .map(([at, value]) =>
      Buffer.concat([some.subarray(0, at), Buffer.of(value), some.subarray(at + 1)]),
    );
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), damaged), (input) => {
      try {
        walk(input, 0);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(EarshotError);
      }
    }),
    { numRuns: 2_000 },
  );
});
