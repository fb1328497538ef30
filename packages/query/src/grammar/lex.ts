import {
  type DiagnosticCode,
  type DiagnosticDetails,
  type DraftDiagnostic,
  makeDiagnostic,
} from "../tree/diagnostics.ts";
import { findClosingQuote, foldedBetween, type Source, textBetween } from "../tree/source.ts";
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
  quotedValue: string | null;
  valueStart: number;
  /** True after a `+`, when even a keyword is a word. */
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

/** An even number of minuses excludes nothing. After a plus, `OR`, `AND` or `NOT` is a word. */
function readSigns(state: LexState, start: number): number {
  const { source } = state;
  let end = start;
  while (source.folded[end] === "-" || source.folded[end] === "+") end++;
  const signs = foldedBetween(source, start, end);
  const minuses = signs.split("-").length - 1;
  // Signs at the start of the query need no space before, those at its end have no term after them.
  const next = source.folded[end] ?? ")";
  const previous = source.folded[start - 1] ?? " ";
  const hasTerm = !isSpace(next) && next !== ")";
  const isSeparate = isSpace(previous) || previous === "(";
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
 * Up to the closing mark, or to the query's end if there is none. A backslash escapes a mark or a
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
  const endOfEmoticon = emoticonEnd(state.scan, start, state.depth);
  if (endOfEmoticon !== null) {
    lexemes.push(plainTerm(start, endOfEmoticon, isForced));
    return endOfEmoticon;
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
    lexemes.push({
      kind: "term",
      quotedValue: text,
      valueStart: end,
      isForced,
      start,
      end: valueEnd,
    });
    return valueEnd;
  }
  const bracketEnd = bracketsEnd(state.scan, start, end);
  lexemes.push(plainTerm(start, bracketEnd, isForced));
  return bracketEnd;
}

function plainTerm(start: number, end: number, isForced: boolean): TermLexeme {
  return { kind: "term", quotedValue: null, valueStart: end, isForced, start, end };
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

type RepairedLexemes = { lexemes: Lexeme[]; warnings: DraftDiagnostic[] };

const closingEmoticon = /^[:;=]['’^-]?\)[.,!?…]*$/;
const maxEmoticonLength = 8;

/** `(launch :)`: an emoticon also closes its group if nothing else does. */
function closeGroupsAtEmoticons(source: Source, lexemes: readonly Lexeme[]): RepairedLexemes {
  const closersAfter = unmatchedClosers(lexemes);
  const repairedLexemes: Lexeme[] = [];
  const warnings: DraftDiagnostic[] = [];
  let depth = 0;
  for (const [index, lexeme] of lexemes.entries()) {
    repairedLexemes.push(lexeme);
    if (lexeme.kind === "open") depth++;
    if (lexeme.kind === "close") depth = Math.max(0, depth - 1);
    const isShort = lexeme.kind === "term" && lexeme.end - lexeme.start <= maxEmoticonLength;
    if (!isShort || (closersAfter[index + 1] ?? 0) >= depth) continue;
    const emoticon = textBetween(source, lexeme.start, lexeme.end);
    if (!closingEmoticon.test(emoticon.normalize("NFKC"))) continue;
    depth--;
    repairedLexemes.push({ kind: "close", start: lexeme.end, end: lexeme.end });
    const span = { offset: lexeme.start, length: lexeme.end - lexeme.start };
    warnings.push(
      makeDiagnostic("shared_parenthesis", span, {
        message: `${emoticon} is parsed as an emoticon whose parenthesis also closes the group`,
        hint: `write ${emoticon}) to confirm, or put a space before the ) if it only closes the group`,
      }),
    );
  }
  return { lexemes: repairedLexemes, warnings };
}

/** How many parentheses from each lexeme on close a group that was opened earlier. */
function unmatchedClosers(lexemes: readonly Lexeme[]): number[] {
  const counts = new Array<number>(lexemes.length + 1).fill(0);
  for (let index = lexemes.length - 1; index >= 0; index--) {
    const countAfter = counts[index + 1] ?? 0;
    const kind = lexemes[index]?.kind;
    counts[index] =
      kind === "close"
        ? countAfter + 1
        : kind === "open"
          ? Math.max(0, countAfter - 1)
          : countAfter;
  }
  return counts;
}

const singleQuotes: ReadonlySet<string> = new Set(["'", "‘", "’", "‚"]);

/** `'New York'`: single quotes are apostrophes and make no phrase. */
function warnSingleQuotes(source: Source, lexemes: readonly Lexeme[]): DraftDiagnostic[] {
  const warnings: DraftDiagnostic[] = [];
  let first: TermLexeme | null = null;
  for (const lexeme of lexemes) {
    if (lexeme.kind === "open" || lexeme.kind === "close" || lexeme.kind === "phrase") first = null;
    if (lexeme.kind !== "term") continue;
    if (first !== null && singleQuotes.has(source.folded[lexeme.end - 1] ?? "")) {
      const words = textBetween(source, first.start + 1, lexeme.end - 1);
      const span = { offset: first.start, length: lexeme.end - first.start };
      warnings.push(
        makeDiagnostic("single_quotes", span, {
          message: "single quotes do not make a phrase: each word is searched for separately",
          hint: `write "${words.length > 60 ? "…" : words}" for these words next to each other`,
        }),
      );
      first = null;
    } else if (opensQuotation(source, lexeme)) {
      first = lexeme;
    }
  }
  return warnings;
}

function opensQuotation({ folded }: Source, { start, end }: TermLexeme): boolean {
  return (
    singleQuotes.has(folded[start] ?? "") &&
    end - start > 1 &&
    !singleQuotes.has(folded[end - 1] ?? "")
  );
}
