import {
  type DiagnosticCode,
  type DraftDiagnostic,
  makeDiagnostic,
  type Warning,
} from "../tree/diagnostics.ts";
import type { Source } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { Token } from "./lex.ts";

export type ParserState = {
  source: Source;
  tokens: readonly Token[];
  diagnostics: DraftDiagnostic[];
  /** Code and offset of each diagnostic, or only the code (`reportOnce`). */
  reported: Set<string>;
  index: number;
  depth: number;
  terms: number;
};

export function startReader(
  source: Source,
  tokens: readonly Token[],
  diagnostics: DraftDiagnostic[],
): ParserState {
  return { source, tokens, diagnostics, reported: new Set(), index: 0, depth: 0, terms: 0 };
}

export function spanOf(token: Token): QuerySpan {
  return { offset: token.start, length: token.end - token.start };
}

export function atEnd(reader: ParserState): boolean {
  const token = reader.tokens[reader.index];
  return token === undefined || token.kind === "close";
}

export function cannotStartTerm(token: Token): boolean {
  return token.kind === "close" || token.kind === "or" || token.kind === "and";
}

export function report(
  reader: ParserState,
  code: DiagnosticCode,
  span: QuerySpan,
  warning: Warning,
): void {
  reportUnlessReported(reader, `${code} ${span.offset}`, code, span, warning);
}

export function reportOnce(
  reader: ParserState,
  code: DiagnosticCode,
  span: QuerySpan,
  warning: Warning,
): void {
  reportUnlessReported(reader, code, code, span, warning);
}

function reportUnlessReported(
  reader: ParserState,
  key: string,
  code: DiagnosticCode,
  span: QuerySpan,
  warning: Warning,
): void {
  if (reader.reported.has(key)) return;
  reader.reported.add(key);
  reader.diagnostics.push(makeDiagnostic(code, span, warning));
}
