import {
  type DraftDiagnostic,
  diagnosticLine,
  makeDiagnostic,
  withChosenHint,
  withoutControls,
} from "../tree/diagnostics.ts";
import { codePointLength, readSource } from "../tree/source.ts";
import type { Diagnostic, ParsedQuery, QueryNode } from "../tree/tree.ts";
import { readQuery } from "./grammar.ts";
import { lex } from "./lex.ts";
import { maxArchiveQueryLength, maxDiagnostics } from "./limits.ts";
import { createParserState, report } from "./parser-state.ts";

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
 * OR binds tighter than a space: `a OR b c` is (a OR b) and c. Keywords are upper-case; operator names are case-insensitive. A
 * minus must touch what it excludes. Operators are never ignored silently: an invalid value is an error, and a warning names
 * every part that is dropped or reinterpreted.
 *
 * One parser reads any text to its end, recovers from errors, and collects errors and warnings; the strict entry point throws
 * if there is an error. Offsets and lengths are in Unicode code points.
 */

export {
  maxArchiveQueryLength as longestArchiveQuery,
  maxLiveQueryLength as longestLiveQuery,
} from "./limits.ts";

export type ParseOptions = {
  /** In code points; `longestArchiveQuery` by default. */
  maxLength?: number;
};

/** The message is that of the first error. */
export class InvalidQueryError extends Error {
  readonly diagnostics: readonly [Diagnostic, ...Diagnostic[]];

  constructor(diagnostics: readonly [Diagnostic, ...Diagnostic[]]) {
    super(diagnosticLine(diagnostics[0]));
    this.name = "InvalidQueryError";
    this.diagnostics = diagnostics;
  }
}

export function parseQuery(text: string, options: ParseOptions = {}): ParsedQuery {
  const { tree, diagnostics } = parseQueryLeniently(text, options);
  const [first, ...others] = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (first !== undefined) throw new InvalidQueryError([first, ...others]);
  if (tree === null) throw new Error("a query without an error has a tree");
  return { tree, warnings: diagnostics };
}

/** The tree of the usable parts (null if none) and the diagnostics, in text order. */
export function parseQueryLeniently(
  text: string,
  options: ParseOptions = {},
): { tree: QueryNode | null; diagnostics: Diagnostic[] } {
  const { tree, findings } = readText(text, options.maxLength ?? maxArchiveQueryLength);
  return { tree, diagnostics: limitDiagnostics(findings) };
}

type ParseOutcome = { tree: QueryNode | null; findings: readonly DraftDiagnostic[] };

function readText(text: string, maxLength: number): ParseOutcome {
  const length = codePointLength(text);
  if (length > maxLength) return { tree: null, findings: [tooLong(length, maxLength)] };
  const source = readSource(text);
  const { lexemes, diagnostics } = lex(source);
  const parser = createParserState(source, lexemes, diagnostics);
  const tree = readQuery(parser);
  const hasError = diagnostics.some((diagnostic) => diagnostic.severity === "error");
  if (tree === null && !hasError) {
    report(
      parser,
      "empty_query",
      { offset: 0, length },
      {
        message: "the query is empty",
        hint: "add a word, hashtag, username or operator",
      },
    );
  }
  return { tree, findings: diagnostics };
}

function limitDiagnostics(findings: readonly DraftDiagnostic[]): Diagnostic[] {
  const reported = { error: 0, warning: 0 };
  return findings
    .toSorted((a, b) => a.offset - b.offset)
    .filter(({ severity }) => reported[severity]++ < maxDiagnostics)
    .map((finding) => withoutControls(withChosenHint(finding, parsesWithoutFindings)));
}

function parsesWithoutFindings(text: string): boolean {
  return readText(text, maxArchiveQueryLength).findings.length === 0;
}

function tooLong(length: number, maxLength: number): DraftDiagnostic {
  return makeDiagnostic(
    "query_too_long",
    { offset: maxLength, length: length - maxLength },
    {
      message: `the query has ${length} characters; the maximum is ${maxLength}`,
      hint: "split the query",
    },
  );
}
