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

export function startReader(
  source: Source,
  lexemes: readonly Lexeme[],
  diagnostics: DraftDiagnostic[],
): ParserState {
  return { source, lexemes, diagnostics, reported: new Set(), index: 0, depth: 0, terms: 0 };
}

export function spanOf(lexeme: Lexeme): QuerySpan {
  return { offset: lexeme.start, length: lexeme.end - lexeme.start };
}

export function atEnd(reader: ParserState): boolean {
  const lexeme = reader.lexemes[reader.index];
  return lexeme === undefined || lexeme.kind === "close";
}

export function cannotStartTerm(lexeme: Lexeme): boolean {
  return lexeme.kind === "close" || lexeme.kind === "or" || lexeme.kind === "and";
}

export function report(
  reader: ParserState,
  code: DiagnosticCode,
  span: QuerySpan,
  details: DiagnosticDetails,
): void {
  reportUnlessReported(reader, `${code} ${span.offset}`, code, span, details);
}

export function reportOnce(
  reader: ParserState,
  code: DiagnosticCode,
  span: QuerySpan,
  details: DiagnosticDetails,
): void {
  reportUnlessReported(reader, code, code, span, details);
}

function reportUnlessReported(
  reader: ParserState,
  key: string,
  code: DiagnosticCode,
  span: QuerySpan,
  details: DiagnosticDetails,
): void {
  if (reader.reported.has(key)) return;
  reader.reported.add(key);
  reader.diagnostics.push(makeDiagnostic(code, span, details));
}
