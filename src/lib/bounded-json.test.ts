import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonBounds, parseUntrustedJson } from "./bounded-json.ts";

const many = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join(",");

const { names, values, shortStrings, deepest } = jsonBounds;

test.each([
  ["names of one object", `{${many(names + 1, (n) => `"name${n}":1`)}}`, "different names"],
  ["names of many objects", `[${many(names + 1, (n) => `{"name${n}":1}`)}]`, "different names"],
  ["names (250,000)", `{${many(250_000, (n) => `"k${n}":0`)}}`, "more than"],
  ["long names", `{${many(names + 1, (n) => `"${"n".repeat(70)}${n}":1`)}}`, "different names"],
  ["values", `[${many(values, () => "1")}]`, "values"],
  ["objects", `[${many(values, () => "{}")}]`, "values"],
  ["short strings", `[${many(shortStrings + 1, (n) => `"s${n}"`)}]`, "short strings"],
  ["levels", "[".repeat(20_000) + "]".repeat(20_000), "levels"],
])("JSON with more %s than the bounds allow is rejected before parsing", (_, text, what) => {
  expect(() => parseUntrustedJson(text)).toThrow(what);
  expect(() => parseUntrustedJson(Buffer.from(text))).toThrow(SyntaxError);
});

test.each([
  ["names", `{${many(names, (n) => `"n${n}":1`)}}`],
  ["values", `[${many(values - 2, () => "1")}]`],
  ["the same names", `[${many(20_000, () => '{"id":1,"text":"some post"}')}]`],
  ["levels", "[".repeat(deepest) + "]".repeat(deepest)],
  ["one long text", JSON.stringify('é\\"'.repeat(300_000))],
])("JSON within the bounds is parsed: %s", (_, text) => {
  expect(parseUntrustedJson(text)).toEqual(JSON.parse(text));
});

test("bounded parsing accepts and rejects the same JSON as JSON.parse", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.boolean(), (text, isLong) => {
      const input = isLong ? `${text}${" ".repeat(20_000)}` : text;
      let expected: unknown;
      try {
        expected = JSON.parse(input);
      } catch {
        expect(() => parseUntrustedJson(input)).toThrow(SyntaxError);
        return;
      }
      expect(parseUntrustedJson(input)).toEqual(expected);
    }),
  );
});
