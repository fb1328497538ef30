import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  deepestNesting,
  longestArchiveQuery,
  longestLiveQuery,
  mostDiagnostics,
  mostTerms,
} from "./bounds.ts";
import { diagnosticCodes } from "./diagnostics.ts";
import { operators, unavailableFilters, unavailableNames } from "./operators.ts";
import { parseQuery, parseQueryLeniently } from "./parse.ts";

const page = readFileSync(new URL("../../docs/query-language.md", import.meta.url), "utf8");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\|? *`?|`? *\|?$/g, "")));

test.each(operators)("$syntax has its row, with its example", ({ syntax, example, aliases }) => {
  const row = rows.find((cells) => cells[0] === syntax);
  expect(row?.[2]).toBe(example);
  for (const alias of aliases) expect(row?.[1]).toContain(alias);
});

test("every row of an operator has an example that is read without a remark", () => {
  const examples = rows.filter((cells) => cells.length === 3);
  expect(examples.length).toBeGreaterThan(operators.length);
  for (const [, , example = ""] of examples) expect(parseQuery(example).warnings).toEqual([]);
});

test("every example among the text is read without a remark", () => {
  const blocks = [...page.matchAll(/```query\n([\s\S]*?)```/g)];
  const examples = blocks.flatMap(([, block = ""]) => block.trim().split("\n"));
  expect(examples.length).toBeGreaterThan(20);
  for (const example of examples) expect(parseQuery(example).warnings).toEqual([]);
});

test.each(Object.entries(diagnosticCodes))(
  "%s has its row, and its example gives it",
  (code, severity) => {
    const row = rows.find((cells) => cells[0] === code);
    expect(row?.[1]).toBe(severity);
    const example = row?.[4] ?? "";
    if (example === "") return;
    const codes = parseQueryLeniently(example).diagnostics.map((diagnostic) => diagnostic.code);
    expect(codes).toContain(code);
  },
);

test("only codes that exist are documented", () => {
  const documented = rows.filter((cells) => cells.length === 5).map((cells) => cells[0]);
  expect(documented).toEqual(Object.keys(diagnosticCodes));
});

test("every operator that is not available is named", () => {
  for (const name of unavailableNames) expect(page).toContain(`\`${name}:\``);
  for (const name of unavailableFilters) expect(page).toContain(`\`${name}\``);
});

test("the bounds are those of the parser", () => {
  const bounds = `at most ${longestLiveQuery.toLocaleString("en")} characters`;
  expect(page).toContain(bounds);
  expect(page).toContain(`${longestArchiveQuery.toLocaleString("en")} for the full archive`);
  expect(page).toContain(`${mostTerms} terms, and ${deepestNesting} levels of groups`);
  expect(page).toContain(`${mostDiagnostics} errors and ${mostDiagnostics} warnings`);
});

test("the grammar is the parser's", () => {
  const grammar = /```\n(query {8}= [\s\S]*?)```/.exec(page)?.[1]?.trim().split("\n") ?? [];
  const parser = readFileSync(new URL("parse.ts", import.meta.url), "utf8");
  expect(grammar).toHaveLength(8);
  for (const line of grammar) expect(parser).toContain(line);
});
