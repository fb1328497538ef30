import {
  type DiagnosticCode,
  type DiagnosticDetails,
  type DraftDiagnostic,
  makeDiagnostic,
} from "../tree/diagnostics.ts";
import { findClosingQuote, foldedBetween, type Source } from "../tree/source.ts";
import { closeGroupsAtEmoticons, warnSingleQuotes } from "./lex-repairs.ts";
import {
  bracketsEnd,
  emoticonEnd,
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
  let offset = 0;
  while (offset < source.folded.length) offset = readNext(state, offset);
  const { lexemes, warnings } = closeGroupsAtEmoticons(source, state.lexemes);
  state.diagnostics.push(...warnings, ...warnSingleQuotes(source, lexemes));
  return { lexemes, diagnostics: state.diagnostics };
}

function readNext(state: LexState, offset: number): number {
  const { source, lexemes } = state;
  const character = source.folded[offset] ?? "";
  if (isSpace(character)) return offset + 1;
  if (character === "(") {
    state.depth++;
    lexemes.push({ kind: "open", start: offset, end: offset + 1 });
    return offset + 1;
  }
  if (character === ")") {
    state.depth = Math.max(0, state.depth - 1);
    lexemes.push({ kind: "close", start: offset, end: offset + 1 });
    return offset + 1;
  }
  if (character === "-" || character === "+") return readSigns(state, offset);
  if (findClosingQuote(character) !== null) return readPhrase(state, offset);
  return readTerm(state, offset, false);
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
  const isForced = signs.includes("+") && next !== "(" && findClosingQuote(next) === null;
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
  const closer = findClosingQuote(folded[start] ?? "");
  const text: string[] = [];
  let offset = start + 1;
  while (offset < folded.length && folded[offset] !== closer) {
    const next = folded[offset + 1];
    if (characters[offset] === "\\" && (next === "\\" || next === '"' || next === closer)) offset++;
    text.push(characters[offset] ?? "");
    offset++;
  }
  if (offset < folded.length) return { text: text.join(""), isClosed: true, end: offset + 1 };
  report(state, "unclosed_quote", start, start + 1, {
    message: `unclosed ${characters[start]}`,
    hint: `add ${closer} where the phrase ends, or remove the ${characters[start]}`,
  });
  return { text: text.join(""), isClosed: false, end: offset };
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
    : readKeyword(foldedBetween(source, start, Math.min(end, start + 4)));
  if (keyword !== null && end - start <= 3) {
    lexemes.push({ kind: keyword, start, end });
    return end;
  }
  const hasColonAtEnd = end - start > 1 && source.folded[end - 1] === ":";
  if (hasColonAtEnd && findClosingQuote(source.folded[end] ?? "") !== null) {
    const { text, end: valueEnd } = readQuoted(state, end);
    lexemes.push({ kind: "term", quoted: text, valueStart: end, isForced, start, end: valueEnd });
    return valueEnd;
  }
  const bracketEnd = bracketsEnd(state.scan, start, end);
  lexemes.push(plainTerm(start, bracketEnd, isForced));
  return bracketEnd;
}

function plainTerm(start: number, end: number, isForced: boolean): TermLexeme {
  return { kind: "term", quoted: null, valueStart: end, isForced, start, end };
}

export function readKeyword(folded: string): "or" | "and" | "not" | null {
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
