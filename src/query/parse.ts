import { EarshotError } from "../lib/errors.ts";
import { longestArchiveQuery, mostDiagnostics } from "./bounds.ts";
import { codePointLength, readSource } from "./characters.ts";
import { type Finding, makeDiagnostic, oneLine, onOneLine, withChosenHint } from "./diagnostics.ts";
import { readQuery } from "./grammar.ts";
import { lex } from "./lex.ts";
import { report, startReader } from "./reader.ts";
import type { Diagnostic, ParsedQuery, QueryNode } from "./tree.ts";

/*
 * The query language.
 *
 *     query        = conjunction ;
 *     conjunction  = alternatives { [ "AND" ] alternatives } ;
 *     alternatives = negation { "OR" negation } ;
 *     negation     = { "-" | "NOT" } primary ;
 *     primary      = "(" conjunction ")" | phrase | term ;
 *     phrase       = quote { character | "\" quote | "\\" } quote ;
 *     term         = operator | "#" hashtag | "$" cashtag | "@" username | url | emoticon | "?" | [ "+" ] word ;
 *     operator     = name ":" ( value | phrase ) ;
 *
 * OR binds tighter than a space: `a OR b c` is (a OR b) and c. Keywords are upper-case, names of operators are not case-sensitive.
 * A minus touches what it excludes. No operator is ever dropped: a value that cannot be read is an error; what is left out because
 * it holds nothing to search, or taken otherwise than it looks, is named by a warning.
 *
 * There is one engine. It reads every text to its end, mends what is broken, and collects errors and warnings; the strict entry
 * point throws when there is an error. Offsets and lengths count Unicode code points.
 */

export { longestArchiveQuery, longestLiveQuery } from "./bounds.ts";

export type ParseOptions = {
  /** Longest query in code points; default `longestArchiveQuery`. */
  maxLength?: number;
};

/**
 * Reads a query. Throws an EarshotError `invalid_query` (status 400) when it holds an error: the message is the first error in
 * one line, `details` hold all of them.
 */
export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  const { tree, diagnostics } = parseQueryLeniently(text, options);
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const [first] = errors;
  if (first !== undefined) {
    throw new EarshotError("invalid_query", oneLine(first), {
      status: 400,
      ...(first.hint === undefined ? {} : { hint: first.hint }),
      details: errors.map(({ severity: _, ...detail }) => detail),
    });
  }
  if (tree === null) throw new Error("a query without an error has a tree");
  return { tree, warnings: diagnostics };
}

/**
 * Reads as much of a query as there is to read: the tree of what makes sense (null when nothing does) and everything there is to
 * say about the rest, in the order of the text.
 */
export function parseQueryLeniently(
  text: string,
  options: ParseOptions = {},
): { tree: QueryNode | null; diagnostics: Diagnostic[] } {
  const { tree, findings } = readText(text, options.maxLength ?? longestArchiveQuery);
  return { tree, diagnostics: firstOfEach(findings) };
}

type Reading = { tree: QueryNode | null; findings: readonly Finding[] };

function readText(text: string, maxLength: number): Reading {
  const length = codePointLength(text);
  if (length > maxLength) return { tree: null, findings: [tooLong(length, maxLength)] };
  const source = readSource(text);
  const { tokens, diagnostics } = lex(source);
  const reader = startReader(source, tokens, diagnostics);
  const tree = readQuery(reader);
  const hasError = diagnostics.some((diagnostic) => diagnostic.severity === "error");
  if (tree === null && !hasError) {
    report(
      reader,
      "empty_query",
      { offset: 0, length },
      {
        message: "there is nothing to search for",
        hint: "write at least one word, hashtag, username or operator",
      },
    );
  }
  return { tree, findings: diagnostics };
}

/** In the order of the text; no more than `mostDiagnostics` errors and as many warnings. */
function firstOfEach(findings: readonly Finding[]): Diagnostic[] {
  const told = { error: 0, warning: 0 };
  return findings
    .toSorted((a, b) => a.offset - b.offset)
    .filter(({ severity }) => told[severity]++ < mostDiagnostics)
    .map((finding) => onOneLine(withChosenHint(finding, readsWell)));
}

function readsWell(text: string): boolean {
  return readText(text, longestArchiveQuery).findings.length === 0;
}

function tooLong(length: number, maxLength: number): Finding {
  return makeDiagnostic(
    "query_too_long",
    { offset: maxLength, length: length - maxLength },
    {
      message: `the query has ${length} characters, and at most ${maxLength} are taken`,
      hint: "split it into several queries",
    },
  );
}
