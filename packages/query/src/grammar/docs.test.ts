import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  filterOperators,
  isOperatorName,
  operatorNamed,
  propertyAliases,
  propertyNamed,
  unavailableFilters,
  unavailableOperators,
  valueOperators,
} from "../operators/operators.ts";
import { diagnosticCodes } from "../tree/diagnostics.ts";
import { printQuery } from "../tree/print.ts";
import {
  maxArchiveQueryLength,
  maxDiagnostics,
  maxLiveQueryLength,
  maxNestingDepth,
  maxTerms,
} from "./limits.ts";
import { parseQuery, parseQueryLeniently } from "./parse.ts";

const page = readFileSync(new URL("../../../../docs/query-language.md", import.meta.url), "utf8");

function rowsBelow(heading: string): string[][] {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`) + 1);
  const table = section.slice(0, section.indexOf("\n\n", section.indexOf("\n|---")));
  const lines = table.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    line
      .slice(2, -1)
      .split("|")
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, "$1")),
  );
}

const operatorRows = rowsBelow("Operators");
const findRow = (syntax: string) => operatorRows.find((cells) => cells[0] === syntax);
const canonical = (query: string): string => printQuery(parseQuery(query).tree);

describe("the table of operators", () => {
  const values = Object.entries(valueOperators);

  test.each(values)(
    "the documented table of operators lists %s and its aliases",
    (name, { value, aliases }) => {
      const row = findRow(`${name}:${value}`);
      expect(row).toHaveLength(3);
      for (const alias of aliases) expect(row?.[1]).toContain(`\`${alias}:\``);
    },
  );

  test.each(Object.entries(propertyAliases))(
    "the documented table of operators lists filter:%s and its aliases",
    (name, aliases) => {
      const row = findRow(`filter:${name}`) ?? findRow(`-filter:${name}`);
      expect(row).toHaveLength(3);
      // Plural and singular are one name.
      const onPage = aliases.filter((alias) => !areSingularAndPlural(alias, name));
      for (const alias of onPage)
        expect(row?.[1]).toMatch(new RegExp(`\`(?:filter|is|has):${alias}`));
    },
  );

  const withoutName = [
    "<word>",
    '"<phrase>"',
    "+<word>",
    "-<keyword>",
    "<term1> OR <term2>",
    "#<hashtag>",
    "$<cashtag>",
    "@<username>",
    "?",
    "<emoticon>",
  ];

  test.each(operatorRows)(
    "the documented table of operators lists only names that exist: %s",
    (syntax) => {
      const [, name = "", value = ""] = /^-?([a-z_]+):(.*)$/.exec(syntax) ?? [];
      if (name === "") expect(withoutName).toContain(syntax);
      else if (name === "filter") expect(propertyNamed(value)).toBe(value);
      else expect(operatorNamed(name)).toBe(name);
    },
  );

  test.each(operatorRows)(
    "the documented table of operators lists only names with the same meaning for %s",
    (syntax, meaning, example) => {
      const name = /^-?(?:filter:\w+|\w+:)/.exec(syntax)?.[0];
      const otherNames = [...(meaning?.split("also ")[1] ?? "").matchAll(/`([^`]+)`/g)];
      if (name === undefined) return;
      for (const [, other = ""] of otherNames) {
        expect(canonical(example?.replace(name, other) ?? "")).toBe(canonical(example ?? ""));
      }
    },
  );

  test.each(operatorRows)(
    "the documented table of operators has an example for %s that parses without a warning",
    (...row) => {
      expect(parseQuery(row[2] ?? "").warnings).toEqual([]);
    },
  );
});

const areSingularAndPlural = (alias: string, name: string): boolean =>
  [alias, name]
    .toSorted((a, b) => a.length - b.length)
    .join(" ")
    .match(/^(\w+?)y? \1(?:s|ies)$/) !== null;

describe("the table of unavailable operators", () => {
  const rows = rowsBelow("Unsupported operators");
  const namedRows = rows.map(([names = "", reason, instead]) => ({
    names: names.replaceAll("`", "").split(" "),
    reason,
    instead: instead?.replaceAll("`", ""),
  }));
  const knownUnsupported = {
    ...withLabels(unavailableOperators, ":"),
    ...withLabels(unavailableFilters),
  };

  test.each(Object.entries(knownUnsupported))(
    "the documented table of unavailable operators lists %s with the reason and the substitute",
    (label, row) => {
      const onPage = namedRows.find(({ names }) => names.includes(label));
      expect(onPage?.reason).toBe(row.reason);
      expect(onPage?.instead).toBe(row.instead ?? "");
    },
  );

  test("the documented table of unavailable operators lists no other operators", () => {
    const onPage = namedRows.flatMap(({ names }) => names);
    expect(onPage.toSorted()).toEqual(Object.keys(knownUnsupported).toSorted());
  });

  function withLabels<Row>(table: Readonly<Record<string, Row>>, end = ""): Record<string, Row> {
    const start = end === "" ? "filter:" : "";
    const rows = Object.entries(table);
    return Object.fromEntries(rows.map(([name, row]) => [`${start}${name}${end}`, row]));
  }
});

describe("the table of codes", () => {
  const rows = rowsBelow("Errors and warnings");

  test.each(Object.entries(diagnosticCodes))(
    "the documented table of diagnostic codes lists %s with its severity, and any example reports the code",
    (code, severity) => {
      const row = rows.find((cells) => cells[0] === code);
      expect(row?.[1]).toBe(severity);
      const example = row?.[3] ?? "";
      if (example === "") return;
      const codes = parseQueryLeniently(example).diagnostics.map((diagnostic) => diagnostic.code);
      expect(codes).toContain(code);
    },
  );

  test("the documented table of diagnostic codes lists no other codes", () => {
    expect(rows.map((cells) => cells[0])).toEqual(Object.keys(diagnosticCodes));
  });
});

test("every example query in the documentation parses without a warning", () => {
  const blocks = [...page.matchAll(/```query\n([\s\S]*?)```/g)];
  const examples = blocks.flatMap(([, block = ""]) => block.trim().split("\n"));
  expect(examples.length).toBeGreaterThan(20);
  for (const example of examples) expect(parseQuery(example).warnings, example).toEqual([]);
});

test("every name before a colon in the documentation is part of the query language", () => {
  const names = [...page.matchAll(/`-?([a-z_]+):[^`]*`/g)].map(([, name = ""]) => name);
  const otherSchemes = new Set(["https", "youtube", "import", "re"]);
  const unknownNames = names.filter((name) => !isOperatorName(name) && !otherSchemes.has(name));
  expect(unknownNames).toEqual([]);
  for (const name of filterOperators) expect(names).toContain(name);
});

test("the documented limits are the parser's", () => {
  expect(page).toContain(`at most ${maxArchiveQueryLength.toLocaleString("en")} characters`);
  expect(page).toContain(`${maxLiveQueryLength.toLocaleString("en")} for \`searchbyquery\``);
  expect(page).toContain(`${maxTerms} terms, and ${maxNestingDepth} levels of groups`);
  expect(page).toContain(`${maxDiagnostics} errors and ${maxDiagnostics} warnings`);
});

test("the documented grammar is the parser's", () => {
  const grammar = /```\n(query {8}= [\s\S]*?)```/.exec(page)?.[1]?.trim().split("\n") ?? [];
  const parser = readFileSync(new URL("parse.ts", import.meta.url), "utf8");
  expect(grammar).toHaveLength(8);
  for (const line of grammar) expect(parser).toContain(line);
});
