import {
  type DiagnosticCode,
  type DiagnosticDetails,
  type DraftDiagnostic,
  makeDiagnostic,
} from "../tree/diagnostics.ts";
import type { Source } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { Lexeme } from "./lex.ts";

export type ParserState = {
  source: Source;
  lexemes: readonly Lexeme[];
  diagnostics: DraftDiagnostic[];
  /** Code and offset of each diagnostic, or only the code (`reportOnce`). */
  reported: Set<string>;
  index: number;
  depth: number;
  terms: number;
};

export function createParserState(
  source: Source,
  lexemes: readonly Lexeme[],
  diagnostics: DraftDiagnostic[],
): ParserState {
  return { source, lexemes, diagnostics, reported: new Set(), index: 0, depth: 0, terms: 0 };
}

export function lexemeSpan(lexeme: Lexeme): QuerySpan {
  return { offset: lexeme.start, length: lexeme.end - lexeme.start };
}

export function atEnd(parser: ParserState): boolean {
  const lexeme = parser.lexemes[parser.index];
  return lexeme === undefined || lexeme.kind === "close";
}

export function cannotStartTerm(lexeme: Lexeme): boolean {
  return lexeme.kind === "close" || lexeme.kind === "or" || lexeme.kind === "and";
}

export function report(
  parser: ParserState,
  code: DiagnosticCode,
  span: QuerySpan,
  details: DiagnosticDetails,
): void {
  reportUnlessReported(parser, `${code} ${span.offset}`, code, span, details);
}

export function reportOnce(
  parser: ParserState,
  code: DiagnosticCode,
  span: QuerySpan,
  details: DiagnosticDetails,
): void {
  reportUnlessReported(parser, code, code, span, details);
}

function reportUnlessReported(
  parser: ParserState,
  key: string,
  code: DiagnosticCode,
  span: QuerySpan,
  details: DiagnosticDetails,
): void {
  if (parser.reported.has(key)) return;
  parser.reported.add(key);
  parser.diagnostics.push(makeDiagnostic(code, span, details));
}
