import {
  type DiagnosticCode,
  type DiagnosticDetails,
  type DraftDiagnostic,
  makeDiagnostic,
} from "../tree/diagnostics.ts";
import { foldedBetween, type Source, textBetween } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { Lexeme } from "./lex.ts";

export type ParserState = {
  source: Source;
  lexemes: readonly Lexeme[];
  diagnostics: DraftDiagnostic[];
  /** The code and offset of each diagnostic, or only its code (`reportOnce`). */
  reportedKeys: Set<string>;
  index: number;
  depth: number;
  termCount: number;
};

export function createParserState(
  source: Source,
  lexemes: readonly Lexeme[],
  diagnostics: DraftDiagnostic[],
): ParserState {
  return {
    source,
    lexemes,
    diagnostics,
    reportedKeys: new Set(),
    index: 0,
    depth: 0,
    termCount: 0,
  };
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
  if (parser.reportedKeys.has(key)) return;
  parser.reportedKeys.add(key);
  parser.diagnostics.push(makeDiagnostic(code, span, details));
}

/** `end`: the offset at which the group ends. */
type GroupedValues = { values: readonly string[]; areAlternatives: boolean; end: number };

export type TermContext = {
  source: Source;
  report: (code: DiagnosticCode, span: QuerySpan, details: DiagnosticDetails) => void;
  isNegated: boolean;
  /** Offset of the term including its negations. */
  start: number;
  touchesGroup: boolean;
  /** Values from the group after an operator (`from:(a OR b)`); null unless it is a plain list. */
  groupedValues: GroupedValues | null;
  previousTerm: { text: string; start: number } | null;
  nextTerm: string;
};

/** `start`: offset of the first negation sign, or else of the term. */
export type Negation = { isNegated: boolean; start: number };

export function termContext(parser: ParserState, lexeme: Lexeme, negation: Negation): TermContext {
  const { source, lexemes, index } = parser;
  const next = lexemes[index];
  const isOperand = negation.isNegated || next?.kind === "or" || lexemes[index - 2]?.kind === "or";
  const nextTerm = next?.kind === "term" ? foldedBetween(source, next.start, next.end) : "";
  return {
    source,
    ...negation,
    nextTerm,
    touchesGroup: next?.kind === "open" && next.start === lexeme.end,
    groupedValues: groupedValues(parser, lexeme.end),
    previousTerm: precedingTerm(parser),
    report: (code, span, details) =>
      report(parser, code, span, isOperand ? withGroupedRewrites(details) : details),
  };
}

/** Groups rewrites of several terms, because they replace a negated term or an alternative. */
function withGroupedRewrites(details: DiagnosticDetails): DiagnosticDetails {
  const { hint } = details;
  if (hint === undefined || typeof hint === "string") return details;
  const queries = hint.queries.map((query) => (/^[^"(]+\s/.test(query) ? `(${query})` : query));
  return { ...details, hint: { ...hint, queries } };
}

function precedingTerm({ source, lexemes, index }: ParserState): TermContext["previousTerm"] {
  const previous = lexemes[index - 2];
  if (previous?.kind !== "term") return null;
  return { text: foldedBetween(source, previous.start, previous.end), start: previous.start };
}

const maxGroupedValues = 8;

function groupedValues({ source, lexemes, index }: ParserState, end: number): GroupedValues | null {
  const open = lexemes[index];
  if (open?.kind !== "open" || open.start !== end) return null;
  const values: string[] = [];
  let areAlternatives = false;
  for (const lexeme of lexemes.slice(index + 1, index + 2 + 2 * maxGroupedValues)) {
    if (lexeme.kind === "close") {
      return values.length > 0 ? { values, areAlternatives, end: lexeme.end } : null;
    }
    if (lexeme.kind === "or") areAlternatives = true;
    else if (lexeme.kind === "term" || lexeme.kind === "phrase")
      values.push(textBetween(source, lexeme.start, lexeme.end));
    else return null;
  }
  return null;
}
