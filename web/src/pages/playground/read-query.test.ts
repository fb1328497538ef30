import { parseQueryLeniently } from "@earshot/query";
import { describe, expect, it } from "vitest";
import { excerptWithCarets, readQuery } from "./read-query.ts";

const look = (query: string): string[] =>
  readQuery(query, 1024).pieces.map(({ text, look }) => (look === "" ? text : `${look}[${text}]`));

describe("highlighting", () => {
  it.each([
    "",
    " ",
    'a "b c" OR (d -e) lang:en #t @u $V \n x:y',
    "🎉 \u202e ü「日本」 -“x",
    '"\\"" ((( ))) - + -- url:"a b" from:',
    "line\n\n",
  ])("the highlighting covers the whole query %j", (query) => {
    const { pieces } = readQuery(query, 1024);
    expect(pieces.map(({ text }) => text).join("")).toBe(query);
  });

  it("the highlighting marks operators, phrases, keywords and exclusions", () => {
    expect(look('"a b" -lang:en (#c OR d)')).toEqual([
      't-str["a b"]',
      " ",
      "t-neg[-]",
      "t-op[lang:]",
      "en (",
      "t-op[#]",
      "c ",
      "t-or[OR]",
      " d)",
    ]);
  });

  it("the highlighting marks an error at its code point offset", () => {
    expect(look("🎉 since:2026-02-30")).toEqual(["🎉 ", "t-op[since:]", "t-error[2026-02-30]"]);
  });
});

it("the server's diagnostics are shown, errors first", () => {
  const query = "a OR b c since:never";
  const { diagnostics, hasError } = readQuery(query, 1024);
  const server = parseQueryLeniently(query, { maxLength: 1024 }).diagnostics;
  expect(hasError).toBe(true);
  expect(diagnostics.map(({ severity }) => severity)).toEqual(["error", "warning"]);
  expect(new Set(diagnostics)).toEqual(new Set(server));
});

it("an empty query has no diagnostics", () => {
  expect(readQuery("  ", 1024)).toMatchObject({ diagnostics: [], isEmpty: true, canonical: null });
});

it("carets are placed under a diagnostic's span, and long lines are shortened", () => {
  const error = { severity: "error", code: "x", message: "", offset: 2, length: 3 } as const;
  expect(excerptWithCarets("🎉 bad end", error)).toEqual({ line: "🎉 bad end", carets: "  ^^^" });
  const long = `${"a".repeat(500)} bad ${"b".repeat(500)}`;
  const { line, carets } = excerptWithCarets(long, { ...error, offset: 501 });
  expect(Array.from(line).length).toBeLessThanOrEqual(98);
  expect(line.slice(carets.indexOf("^"), carets.length)).toBe("bad");
});
