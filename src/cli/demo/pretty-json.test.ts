import fc from "fast-check";
import { expect, test } from "vitest";
import { prettyJson } from "./curl.ts";

test("a JSON value that fits stays on one line", () => {
  expect(prettyJson({ uuid: "a", error: "" }, 40)).toBe('{ "uuid": "a", "error": "" }');
  expect(prettyJson([], 40)).toBe("[]");
});

test("a longer JSON value is indented, with short members side by side", () => {
  const record = { id: "1", text: "a text that is rather long", list: [1, 2], deep: { a: null } };
  expect(prettyJson([record], 42)).toBe(
    [
      "[",
      "  {",
      '    "id": "1",',
      '    "text": "a text that is rather long",',
      '    "list": [1, 2], "deep": { "a": null }',
      "  }",
      "]",
    ].join("\n"),
  );
});

test("the pretty output parses to the same JSON value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 100 }), (value, columns) => {
      expect(JSON.stringify(JSON.parse(prettyJson(value, columns)))).toBe(JSON.stringify(value));
    }),
  );
});
