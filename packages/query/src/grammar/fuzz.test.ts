import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testRuns } from "../../../../testkit/seed.ts";
import {
  filterOperators,
  propertyAliases,
  unavailableFilters,
  unavailableOperators,
  valueOperators,
} from "../operators/operators.ts";
import { describeTree } from "../tree/describe.ts";
import { diagnosticCodes, diagnosticLine, renderDiagnostic } from "../tree/diagnostics.ts";
import { printQuery } from "../tree/print.ts";
import type { ParsedQuery, QueryNode } from "../tree/tree.ts";
import { maxNestingDepth } from "./limits.ts";
import { InvalidQueryError, parseQuery, parseQueryLeniently } from "./parse.ts";

const unbounded = { maxLength: 1_000_000 };

const syntax =
  "( ( ) ) \" “ ” « 「 」 [ ] \\ - – + OR AND NOT or : : , ; * ? ？ ؟ # ＃ @ $ ＄ ! . / & | ~ ' ‘ ’ = ^ 　 \u200e \ud800 \0 \n \u0301 \ufe0f";
const names = [
  ...Object.entries(valueOperators).flatMap(([name, { aliases }]) => [name, ...aliases]),
  ...filterOperators,
  ...Object.keys(unavailableOperators),
];
const properties = [
  ...Object.entries(propertyAliases).flatMap(([name, aliases]) => [name, ...aliases]),
  ...Object.keys(unavailableFilters),
];
const values = (
  "a nasa 東京 👍🏽 é #tag #️⃣ @user $TWTR a.b x.com/a https://x.com/?q=(a) https://x.com/a/status/20 :) :-( :D ;P ’s " +
  "'a b' 2021-01-02 1561720321 1561720321000 2d 36h 2w 20 9223372036854775807 9223372036854775808 1,2,3km en zh-cn english " +
  "did:plc:abc at://did:plc:abc/app.bsky.feed.post/3k import:x:1 nasa.gov www.nasa.gov localhost twitter bsky x " +
  "[-0.12 51.5 10km] frm: author: note: likes: date: type: site: max_faves: likes>100 from=a a~2 /a.*/ C++ $50 m?on a|b " +
  "10:00 2024-01-01..2024-02-01 yesterday 5d !a not and [5 TO 9] > >= = en-us https://twitter.com/a/status/20?s=20"
).split(" ");

const spaces = fc.constantFrom(" ", " ", " ", "");
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...syntax.split(" "), " ", " ", " ") },
  { weight: 4, arbitrary: fc.constantFrom(...names).map((name) => `${name}:`) },
  { weight: 4, arbitrary: fc.constantFrom(...values, ...properties) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) },
);
const syntaxText = fc
  .array(fc.tuple(piece, spaces), { maxLength: 24 })
  .map((all) => all.flat().join(""));
const anyText = fc.oneof(
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString()),
  },
  { weight: 6, arbitrary: syntaxText },
);

function parseStrictly(text: string): ParsedQuery | undefined {
  try {
    return parseQuery(text);
  } catch (thrown) {
    if (thrown instanceof InvalidQueryError) return undefined;
    throw thrown;
  }
}

describe("any text", () => {
  test("any text parses, with one-line diagnostics inside the query, and the strict parser returns the same tree or throws", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { tree, diagnostics } = parseQueryLeniently(text);
        const length = Array.from(text).length;
        if (tree !== null) checkTree(tree, length);
        for (const diagnostic of diagnostics) {
          const { offset, length: width, message, hint = "", code, severity } = diagnostic;
          const isInside = offset >= 0 && width >= 0 && offset + width <= length;
          if (!isInside || /[\r\n]/.test(message + hint) || message === "") throw new Error(code);
          if (diagnosticCodes[code as keyof typeof diagnosticCodes] !== severity)
            throw new Error(code);
        }
        const hasError = diagnostics.some(({ severity }) => severity === "error");
        const strict = parseStrictly(text);
        if (hasError) expect(strict).toBeUndefined();
        else expect(strict).toEqual({ tree, warnings: diagnostics });
      }),
      { numRuns: testRuns(1_700) },
    );
  });

  test("suggestions for any text parse without a warning", () => {
    const runs = testRuns(3_300);
    let suggestionCount = 0;
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { hint = "" } of parseQueryLeniently(text).diagnostics) {
          const query = /^did you mean (.+)$/.exec(hint)?.[1];
          if (query === undefined) continue;
          suggestionCount += 1;
          expect(parseQueryLeniently(query).diagnostics).toEqual([]);
        }
      }),
      { numRuns: runs, examples: [["frm:\u200ea"]] },
    );
    expect(suggestionCount / runs).toBeGreaterThan(0.01);
  });

  test("each diagnostic for any text is rendered in at most five lines", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const diagnostic of parseQueryLeniently(text).diagnostics) {
          expect(diagnosticLine(diagnostic)).not.toMatch(/[\r\n]/);
          expect(renderDiagnostic(text, diagnostic).split("\n").length).toBeLessThanOrEqual(5);
        }
      }),
      { numRuns: testRuns(350) },
    );
  });

  test("the tree for any text is printed as a valid query, which parses to the same tree and prints the same", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { tree } = parseQueryLeniently(text);
        if (tree === null) return;
        const printed = printQuery(tree);
        const reparsed = parseQuery(printed, unbounded).tree;
        expect(withoutSpans(reparsed)).toEqual(withoutSpans(tree));
        expect(printQuery(reparsed)).toBe(printed);
        expect(describeTree(reparsed)).toBe(describeTree(tree));
      }),
      // With an invisible character, a keyword is a word only with its question mark; none remains
      // at an end or in an address.
      {
        numRuns: testRuns(1_000),
        examples: [
          ["AND\u200e? "],
          ["a\u200e？ "],
          ["–\u200ea "],
          ["https://x.com/?q=a\u200eb "],
          ["#\ufe70 "],
        ],
      },
    );
  });
});

describe("a very long text", () => {
  const repeated = fc.tuple(piece, fc.integer({ min: 1, max: 3_000 }), syntaxText);

  test("a very long text is parsed with at most 32 errors, regardless of what it repeats", () => {
    fc.assert(
      fc.property(repeated, ([unit, times, rest]) => {
        const text = unit.repeat(times) + rest;
        const { diagnostics } = parseQueryLeniently(text, unbounded);
        expect(diagnostics.filter(({ severity }) => severity === "error").length).toBeLessThan(33);
      }),
      { numRuns: testRuns(50) },
    );
  });

  test("a very long text is rejected with a separate code if it is nested too deeply", () => {
    const opening = fc.constantFrom("(", "-(", "(a ", "(a OR ", "NOT (", "(-(");
    fc.assert(
      fc.property(opening, fc.integer({ min: maxNestingDepth + 1, max: 5_000 }), (open, depth) => {
        const closing = open.split("(").length - 1;
        const text = `${open.repeat(depth)}x${")".repeat(closing * depth)}`;
        const codes = parseQueryLeniently(text, unbounded).diagnostics.map(({ code }) => code);
        expect(codes).toContain("query_too_deep");
      }),
      { numRuns: testRuns(35) },
    );
  });
});

/** Spans lie within the query, and groups are in normal form. */
function checkTree(node: QueryNode, length: number): void {
  const { offset, length: width } = node.span;
  if (offset < 0 || width <= 0 || offset + width > length) throw new Error(JSON.stringify(node));
  if (node.kind === "not") {
    expect(node.child.kind).not.toBe("not");
    checkTree(node.child, length);
  }
  if (node.kind !== "and" && node.kind !== "or") return;
  expect(node.children.length).toBeGreaterThan(1);
  for (const child of node.children) {
    expect(child.kind).not.toBe(node.kind);
    checkTree(child, length);
  }
}

function withoutSpans(tree: QueryNode): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === "span" ? undefined : value)));
}
