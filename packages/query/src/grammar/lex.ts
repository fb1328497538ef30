import {
  type DiagnosticCode,
  type DiagnosticDetails,
  type DraftDiagnostic,
  makeDiagnostic,
} from "../tree/diagnostics.ts";
import { closingQuoteOf, foldedBetween, type Source } from "../tree/source.ts";
import { closeGroupsAtEmoticons, warnSingleQuotes } from "./lex-repairs.ts";
import {
  emoticonEnd,
  endOfBrackets,
  isSpace,
  type Scan,
  scanBrackets,
  termEnd,
} from "./term-ends.ts";

/** Offsets in code points, `end` exclusive. */
export type Lexeme =
  | { kind: "open" | "close" | "or" | "and" | "not" | "minus"; start: number; end: number }
  | { kind: "phrase"; text: string; isClosed: boolean; start: number; end: number }
  | TermLexeme;

export type TermLexeme = {
  kind: "term";
  quoted: string | null;
  valueStart: number;
  /** After a `+`: never a keyword. */
  isForced: boolean;
  start: number;
  end: number;
};

type LexState = {
  source: Source;
  scan: Scan;
  lexemes: Lexeme[];
  diagnostics: DraftDiagnostic[];
  depth: number;
};

/** Linear time. */
export function lex(source: Source): { lexemes: Lexeme[]; diagnostics: DraftDiagnostic[] } {
  const scan = scanBrackets(source);
  const state: LexState = { source, scan, lexemes: [], diagnostics: [], depth: 0 };
  let at = 0;
  while (at < source.folded.length) at = readNext(state, at);
  const { lexemes, warnings } = closeGroupsAtEmoticons(source, state.lexemes);
  state.diagnostics.push(...warnings, ...warnSingleQuotes(source, lexemes));
  return { lexemes, diagnostics: state.diagnostics };
}

function readNext(state: LexState, at: number): number {
  const { source, lexemes } = state;
  const character = source.folded[at] ?? "";
  if (isSpace(character)) return at + 1;
  if (character === "(") {
    state.depth++;
    lexemes.push({ kind: "open", start: at, end: at + 1 });
    return at + 1;
  }
  if (character === ")") {
    state.depth = Math.max(0, state.depth - 1);
    lexemes.push({ kind: "close", start: at, end: at + 1 });
    return at + 1;
  }
  if (character === "-" || character === "+") return readSigns(state, at);
  if (closingQuoteOf(character) !== null) return readPhrase(state, at);
  return readTerm(state, at, false);
}

/** An even number of minuses excludes nothing, and `OR`, `AND` or `NOT` after a plus is a word. */
function readSigns(state: LexState, start: number): number {
  const { source } = state;
  let end = start;
  while (source.folded[end] === "-" || source.folded[end] === "+") end++;
  const signs = foldedBetween(source, start, end);
  const minuses = signs.split("-").length - 1;
  // Signs that start the query need no space before, those that end it have no term after them.
  const next = source.folded[end] ?? ")";
  const before = source.folded[start - 1] ?? " ";
  const hasTerm = !isSpace(next) && next !== ")";
  const isSeparate = isSpace(before) || before === "(";
  if (minuses > 0 && !(hasTerm && isSeparate)) {
    const message = hasTerm
      ? "a minus without a space before it does not exclude a term"
      : "a minus without a term after it has no effect";
    const hint = hasTerm
      ? "put a space before the minus to exclude the term after it"
      : "write -word without a space to exclude a word";
    report(state, "stray_minus", start, end, { message, hint });
  }
  if (!hasTerm) return end;
  if (minuses % 2 === 1 && isSeparate) state.lexemes.push({ kind: "minus", start, end });
  const isForced = signs.includes("+") && next !== "(" && closingQuoteOf(next) === null;
  return isForced ? readTerm(state, end, true) : end;
}

function readPhrase(state: LexState, start: number): number {
  const { text, isClosed, end } = readQuoted(state, start);
  state.lexemes.push({ kind: "phrase", text, isClosed, start, end });
  return end;
}

/**
 * To its closing mark, or without one to the query's end. A backslash escapes a mark or a
 * backslash.
 */
function readQuoted(
  state: LexState,
  start: number,
): { text: string; isClosed: boolean; end: number } {
  const { characters, folded } = state.source;
  const closer = closingQuoteOf(folded[start] ?? "");
  const text: string[] = [];
  let at = start + 1;
  while (at < folded.length && folded[at] !== closer) {
    const next = folded[at + 1];
    if (characters[at] === "\\" && (next === "\\" || next === '"' || next === closer)) at++;
    text.push(characters[at] ?? "");
    at++;
  }
  if (at < folded.length) return { text: text.join(""), isClosed: true, end: at + 1 };
  report(state, "unclosed_quote", start, start + 1, {
    message: `unclosed ${characters[start]}`,
    hint: `add ${closer} where the phrase ends, or remove the ${characters[start]}`,
  });
  return { text: text.join(""), isClosed: false, end: at };
}

function readTerm(state: LexState, start: number, isForced: boolean): number {
  const { source, lexemes } = state;
  const emoticon = emoticonEnd(state.scan, start, state.depth);
  if (emoticon !== null) {
    lexemes.push(plainTerm(start, emoticon, isForced));
    return emoticon;
  }
  const end = termEnd(state.scan, start);
  const keyword = isForced
    ? null
    : keywordOf(foldedBetween(source, start, Math.min(end, start + 4)));
  if (keyword !== null && end - start <= 3) {
    lexemes.push({ kind: keyword, start, end });
    return end;
  }
  const hasColonAtEnd = end - start > 1 && source.folded[end - 1] === ":";
  if (hasColonAtEnd && closingQuoteOf(source.folded[end] ?? "") !== null) {
    const { text, end: valueEnd } = readQuoted(state, end);
    lexemes.push({ kind: "term", quoted: text, valueStart: end, isForced, start, end: valueEnd });
    return valueEnd;
  }
  const bracketEnd = endOfBrackets(state.scan, start, end);
  lexemes.push(plainTerm(start, bracketEnd, isForced));
  return bracketEnd;
}

function plainTerm(start: number, end: number, isForced: boolean): TermLexeme {
  return { kind: "term", quoted: null, valueStart: end, isForced, start, end };
}

export function keywordOf(folded: string): "or" | "and" | "not" | null {
  if (folded === "OR") return "or";
  if (folded === "AND") return "and";
  return folded === "NOT" ? "not" : null;
}

function report(
  state: LexState,
  code: DiagnosticCode,
  start: number,
  end: number,
  details: DiagnosticDetails,
): void {
  const span = { offset: start, length: end - start };
  state.diagnostics.push(makeDiagnostic(code, span, details));
}
