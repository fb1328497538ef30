import {
  type DiagnosticCode,
  type DraftDiagnostic,
  makeDiagnostic,
  type Warning,
} from "../tree/diagnostics.ts";
import { closingQuoteOf, foldedBetween, type Source } from "../tree/source.ts";
import { shareParentheses, warnSingleQuotes } from "./lex-repairs.ts";
import {
  emoticonEnd,
  endOfBrackets,
  isSpace,
  type Scan,
  scanBrackets,
  termEnd,
} from "./term-ends.ts";

/** Offsets in code points, `end` exclusive. */
export type Token =
  | { kind: "open" | "close" | "or" | "and" | "not" | "minus"; start: number; end: number }
  | { kind: "phrase"; text: string; isClosed: boolean; start: number; end: number }
  | TermToken;

export type TermToken = {
  kind: "term";
  quoted: string | null;
  valueStart: number;
  /** After a `+`: never a keyword. */
  isForced: boolean;
  start: number;
  end: number;
};

type Reading = {
  source: Source;
  scan: Scan;
  tokens: Token[];
  diagnostics: DraftDiagnostic[];
  depth: number;
};

/** Linear time. */
export function lex(source: Source): { tokens: Token[]; diagnostics: DraftDiagnostic[] } {
  const scan = scanBrackets(source);
  const reading: Reading = { source, scan, tokens: [], diagnostics: [], depth: 0 };
  let at = 0;
  while (at < source.folded.length) at = readNext(reading, at);
  const { tokens, warnings } = shareParentheses(source, reading.tokens);
  reading.diagnostics.push(...warnings, ...warnSingleQuotes(source, tokens));
  return { tokens, diagnostics: reading.diagnostics };
}

function readNext(reading: Reading, at: number): number {
  const { source, tokens } = reading;
  const character = source.folded[at] ?? "";
  if (isSpace(character)) return at + 1;
  if (character === "(") {
    reading.depth++;
    tokens.push({ kind: "open", start: at, end: at + 1 });
    return at + 1;
  }
  if (character === ")") {
    reading.depth = Math.max(0, reading.depth - 1);
    tokens.push({ kind: "close", start: at, end: at + 1 });
    return at + 1;
  }
  if (character === "-" || character === "+") return readSigns(reading, at);
  if (closingQuoteOf(character) !== null) return readPhrase(reading, at);
  return readTerm(reading, at, false);
}

/** Pairs of minuses cancel; a plus prevents a keyword. */
function readSigns(reading: Reading, start: number): number {
  const { source } = reading;
  let end = start;
  while (source.folded[end] === "-" || source.folded[end] === "+") end++;
  const signs = foldedBetween(source, start, end);
  const minuses = signs.split("-").length - 1;
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
    report(reading, "stray_minus", start, end, { message, hint });
  }
  if (!hasTerm) return end;
  if (minuses % 2 === 1 && isSeparate) reading.tokens.push({ kind: "minus", start, end });
  const isForced = signs.includes("+") && next !== "(" && closingQuoteOf(next) === null;
  return isForced ? readTerm(reading, end, true) : end;
}

function readPhrase(reading: Reading, start: number): number {
  const { text, isClosed, end } = readQuoted(reading, start);
  reading.tokens.push({ kind: "phrase", text, isClosed, start, end });
  return end;
}

/** Reads to after the closing quotation mark. `\"` and `\\` are escapes. */
function readQuoted(
  reading: Reading,
  start: number,
): { text: string; isClosed: boolean; end: number } {
  const { characters, folded } = reading.source;
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
  report(reading, "unclosed_quote", start, start + 1, {
    message: `unclosed ${characters[start]}`,
    hint: `add ${closer} where the phrase ends, or remove the ${characters[start]}`,
  });
  return { text: text.join(""), isClosed: false, end: at };
}

function readTerm(reading: Reading, start: number, isForced: boolean): number {
  const { source, tokens } = reading;
  const emoticon = emoticonEnd(reading.scan, start, reading.depth);
  if (emoticon !== null) {
    tokens.push(plainTerm(start, emoticon, isForced));
    return emoticon;
  }
  const end = termEnd(reading.scan, start);
  const keyword = isForced
    ? null
    : keywordOf(foldedBetween(source, start, Math.min(end, start + 4)));
  if (keyword !== null && end - start <= 3) {
    tokens.push({ kind: keyword, start, end });
    return end;
  }
  const isOperator = end - start > 1 && source.folded[end - 1] === ":";
  if (isOperator && closingQuoteOf(source.folded[end] ?? "") !== null) {
    const { text, end: valueEnd } = readQuoted(reading, end);
    tokens.push({ kind: "term", quoted: text, valueStart: end, isForced, start, end: valueEnd });
    return valueEnd;
  }
  const bracketEnd = endOfBrackets(reading.scan, start, end);
  tokens.push(plainTerm(start, bracketEnd, isForced));
  return bracketEnd;
}

function plainTerm(start: number, end: number, isForced: boolean): TermToken {
  return { kind: "term", quoted: null, valueStart: end, isForced, start, end };
}

export function keywordOf(folded: string): "or" | "and" | "not" | null {
  if (folded === "OR") return "or";
  if (folded === "AND") return "and";
  return folded === "NOT" ? "not" : null;
}

function report(
  reading: Reading,
  code: DiagnosticCode,
  start: number,
  end: number,
  warning: Warning,
): void {
  const span = { offset: start, length: end - start };
  reading.diagnostics.push(makeDiagnostic(code, span, warning));
}
