import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJsonSplitter, type JsonValue } from "./json-values.ts";

const options = { maxValueBytes: 10_000, listName: null as string | null };

function valuesIn(
  text: string,
  sizes: readonly number[] = [7],
  overrides: Partial<typeof options> = {},
): JsonValue[] {
  const splitter = createJsonSplitter({ ...options, ...overrides });
  const bytes = Buffer.from(text);
  const found: JsonValue[] = [];
  for (let offset = 0, turn = 0; offset < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    found.push(...splitter.feed(bytes.subarray(offset, offset + size)));
    offset += size;
  }
  const last = splitter.end();
  return last === null ? found : [...found, last];
}

const textsIn = (...args: Parameters<typeof valuesIn>): string[] =>
  valuesIn(...args).map(({ bytes }) => bytes.toString("utf8"));

const pieceSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));

describe("the values of a file", () => {
  test("the values of a JSON file are the items of a list, with any layout and piece size", () => {
    fc.assert(
      fc.property(fc.array(object), fc.constantFrom(0, 2), pieceSizes, (items, indent, sizes) => {
        const found = textsIn(JSON.stringify(items, null, indent), sizes);
        expect(found.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(items)));
      }),
    );
  });

  test("the values of a JSON file are consecutive objects, on separate lines or not", () => {
    fc.assert(
      fc.property(fc.array(object), fc.constantFrom(0, 2), pieceSizes, (items, indent, sizes) => {
        const text = items.map((item) => `${JSON.stringify(item, null, indent)}\n`).join("");
        const found = textsIn(text, sizes);
        expect(found.map((name) => JSON.parse(name))).toEqual(JSON.parse(JSON.stringify(items)));
      }),
    );
  });

  test("the values of a JSON file are the items of a named list in an object, at any position", () => {
    const items = [{ a: "]}" }, { items: [1] }];
    const document = { before: { items: [3], text: '\\"[{' }, items, after: [{ b: 1 }] };
    for (const indent of [0, 2]) {
      const text = `${JSON.stringify(document, null, indent)}\n{"x":1}\n`;
      const found = textsIn(text, [3], { listName: "items" }).map((name) => JSON.parse(name));
      expect(found).toEqual([...items, { x: 1 }]);
    }
  });

  test("the values of a JSON file include invalid JSON between brackets", () => {
    expect(textsIn('window.x = [{"a":1}, oops, "b,c", 7];')).toEqual([
      "window.x = ",
      '{"a":1}',
      "oops",
      '"b,c"',
      "7",
      ";",
    ]);
  });

  test("a broken JSON value ends with its line if the first value takes one line", () => {
    expect(textsIn('{"a":1}\n{"b":[\n{"c":3}\n')).toEqual(['{"a":1}', '{"b":[', '{"c":3}']);
    expect(textsIn('{"a":1}\n{"b":')).toEqual(['{"a":1}', '{"b":']);
  });

  test.each(['[{"a":1}', '[{"a":1},{"b":', '{\n"a":1'])(
    "a JSON file that is truncated in %s is reported as truncated",
    (text) => {
      expect(() => textsIn(text)).toThrow("truncated within a list or object");
    },
  );

  test("a JSON value that is too long is truncated, and the next ones are read", () => {
    const text = JSON.stringify([{ a: "x".repeat(9_000) }, { b: 1 }]);
    const [long, next] = valuesIn(text, [100], { maxValueBytes: 5_000 });
    expect(long).toMatchObject({ isTooLong: true });
    expect(long?.bytes.length).toBeLessThanOrEqual(5_000);
    expect(next?.bytes.toString()).toBe('{"b":1}');
  });
});

test("random JSON characters yield values or a truncation error, and no more bytes than the file has", () => {
  const signs = fc
    .array(fc.constantFrom(...'[]{}",:\\ \n1ai'.split("")))
    .map((all) => all.join(""));
  fc.assert(
    fc.property(signs, fc.constantFrom(null, "a"), (text, listName) => {
      try {
        const found = textsIn(text, [2], { listName });
        expect(found.join("").length).toBeLessThanOrEqual(text.length);
      } catch (error) {
        expect(String(error)).toContain("truncated within");
      }
    }),
    { numRuns: 2_000 },
  );
});
