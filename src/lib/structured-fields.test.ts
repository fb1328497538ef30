import { expect, test } from "vitest";
import { serializeDictionary, serializeList } from "./structured-fields.ts";

test("a structured list contains its items, each followed by its parameters", () => {
  expect(
    serializeList([
      { value: "burst", parameters: { q: 3, w: 1 } },
      { value: 'a "b" \\', parameters: { on: true, off: false } },
    ]),
  ).toBe('"burst";q=3;w=1, "a \\"b\\" \\\\";on;off=?0');
  expect(serializeList([])).toBe("");
});

test("a structured dictionary contains named members, and only the key of a member that is true", () => {
  expect(
    serializeDictionary({
      complete: { value: false },
      from: { value: "2026-01-01T00:00:00Z" },
      gaps: { value: -0 },
      all: { value: true, parameters: { v: -15 } },
    }),
  ).toBe('complete=?0, from="2026-01-01T00:00:00Z", gaps=0, all;v=-15');
});

test("bytes in a structured field are written in base64 between colons", () => {
  const members = { digest: { value: Buffer.from("fish") }, none: { value: new Uint8Array() } };
  expect(serializeDictionary(members)).toBe("digest=:ZmlzaA==:, none=::");
});

test.each([
  ["a letter beyond ASCII", { a: { value: "é" } }],
  ["a control character", { a: { value: "a\nb" } }],
  ["a fraction", { a: { value: 1.5 } }],
  ["16 digits", { a: { value: 1_000_000_000_000_000 } }],
  ["a key in capitals", { A: { value: 1 } }],
  ["a key that begins with a digit", { "1a": { value: 1 } }],
])("writing a structured field throws for %s", (_name, members) => {
  expect(() => serializeDictionary(members)).toThrow(/structured field/);
});
