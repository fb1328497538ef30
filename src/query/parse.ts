import { EarshotError } from "../lib/errors.ts";
import { deepestNesting, longestArchiveQuery, mostDiagnostics, mostTerms } from "./bounds.ts";
import { makeAnd, makeNot, makeOr } from "./build.ts";
import {
  codePointLength,
  foldedBetween,
  readSource,
  type Source,
  textBetween,
} from "./characters.ts";
import { warnAboutConjunction } from "./conjunction.ts";
import {
  type DiagnosticCode,
  makeDiagnostic,
  oneLine,
  onOneLine,
  type Remark,
} from "./diagnostics.ts";
import { readPhrase, readTerm } from "./leaf.ts";
import { lex, type TermToken, type Token } from "./lex.ts";
import { shown } from "./operand.ts";
import { isOperatorName } from "./operators.ts";
import { printQuery } from "./print.ts";
import type { Diagnostic, ParsedQuery, QueryNode, Span } from "./tree.ts";

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
  const maxLength = options.maxLength ?? longestArchiveQuery;
  const length = codePointLength(text);
  if (length > maxLength) return { tree: null, diagnostics: [tooLong(length, maxLength)] };
  const source = readSource(text);
  const { tokens, diagnostics } = lex(source);
  const state: State = {
    source,
    tokens,
    diagnostics,
    told: new Set(),
    index: 0,
    depth: 0,
    terms: 0,
  };
  const tree = readQuery(state);
  const hasError = diagnostics.some((diagnostic) => diagnostic.severity === "error");
  if (tree === null && !hasError) {
    report(
      state,
      "empty_query",
      { offset: 0, length },
      {
        message: "there is nothing to search for",
        hint: "write at least one word, hashtag, username or operator",
      },
    );
  }
  return { tree, diagnostics: firstOfEach(diagnostics) };
}

/** In the order of the text; no more than `mostDiagnostics` errors and as many warnings. */
function firstOfEach(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const told = { error: 0, warning: 0 };
  return diagnostics
    .toSorted((a, b) => a.offset - b.offset)
    .filter(({ severity }) => told[severity]++ < mostDiagnostics)
    .map(onOneLine);
}

type State = {
  source: Source;
  tokens: readonly Token[];
  diagnostics: Diagnostic[];
  /** Code and offset of each diagnostic, so that none is told twice. */
  told: Set<string>;
  index: number;
  depth: number;
  terms: number;
};

function tooLong(length: number, maxLength: number): Diagnostic {
  return makeDiagnostic(
    "query_too_long",
    { offset: maxLength, length: length - maxLength },
    {
      message: `the query has ${length} characters, and at most ${maxLength} are taken`,
      hint: "split it into several queries",
    },
  );
}

function readQuery(state: State): QueryNode | null {
  const parts: QueryNode[] = [];
  while (state.index < state.tokens.length) {
    const part = readConjunction(state);
    if (part !== null) parts.push(part);
    const stray = state.tokens[state.index];
    if (stray === undefined) break;
    report(state, "unopened_group", spanOf(stray), {
      message: "a ) closes a group that no ( opens",
      hint: "add the ( or leave out the )",
    });
    state.index++;
  }
  return makeAnd(parts, wholeSpan(parts));
}

/** Up to a `)` or the end. */
function readConjunction(state: State): QueryNode | null {
  const parts: QueryNode[] = [];
  let looseOr: QueryNode | null = null;
  let count = 0;
  while (!atEnd(state)) {
    readAnd(state, count > 0);
    if (atEnd(state)) break;
    const part = readAlternatives(state);
    count++;
    if (part.node === null) continue;
    parts.push(part.node);
    if (part.isLooseOr) looseOr ??= part.node;
  }
  const node = makeAnd(parts, wholeSpan(parts));
  warnAboutConjunction(parts, (code, span, remark) => report(state, code, span, remark));
  if (looseOr === null || node === null || parts.length < 2) return node;
  if (isTooDeep(state, looseOr.span)) return null;
  report(state, "or_binds_tighter", looseOr.span, {
    message: "OR binds tighter than a space",
    hint: `read as ${excerpt(printQuery(node))}; put parentheses around the terms that belong together`,
  });
  return node;
}

/** Passes over the explicit AND, which must stand between two terms. */
function readAnd(state: State, hasTermBefore: boolean): void {
  let hasTerm = hasTermBefore;
  for (;;) {
    const token = state.tokens[state.index];
    if (token?.kind !== "and") return;
    state.index++;
    if (!hasTerm || atEnd(state)) reportMissingTerm(state, token);
    hasTerm = false;
  }
}

type Alternatives = { node: QueryNode | null; isLooseOr: boolean };

function readAlternatives(state: State): Alternatives {
  const nodes: QueryNode[] = [];
  const first = state.tokens[state.index];
  if (first?.kind === "or") {
    reportMissingTerm(state, first);
  } else {
    readAlternative(state, nodes);
  }
  for (;;) {
    const or = state.tokens[state.index];
    if (or?.kind !== "or") break;
    state.index++;
    const next = state.tokens[state.index];
    if (next !== undefined && !cannotStartTerm(next)) {
      readAlternative(state, nodes);
    } else if (or !== first) {
      reportMissingTerm(state, or);
    }
  }
  return { node: makeOr(nodes, wholeSpan(nodes)), isLooseOr: nodes.length > 1 };
}

function readAlternative(state: State, nodes: QueryNode[]): void {
  const node = readNegation(state);
  if (node !== null) nodes.push(node);
}

function cannotStartTerm(token: Token): boolean {
  return token.kind === "close" || token.kind === "or" || token.kind === "and";
}

function readNegation(state: State): QueryNode | null {
  const first = state.tokens[state.index];
  let isNegated = false;
  let last = first;
  for (;;) {
    const token = state.tokens[state.index];
    if (token?.kind !== "minus" && token?.kind !== "not") break;
    isNegated = !isNegated;
    last = token;
    state.index++;
  }
  const next = state.tokens[state.index];
  if (first === undefined || last === undefined) return null;
  if (next === undefined || cannotStartTerm(next)) {
    reportMissingTerm(state, last);
    return null;
  }
  const node = readPrimary(state, next, isNegated);
  if (node === null || !isNegated) return node;
  return makeNot(node, {
    offset: first.start,
    length: node.span.offset + node.span.length - first.start,
  });
}

function readPrimary(state: State, token: Token, isNegated: boolean): QueryNode | null {
  if (token.kind === "open") return readGroup(state, token);
  state.index++;
  if (token.kind === "phrase") {
    const phrase = readPhrase(contextOf(state, token, isNegated), token.text, spanOf(token));
    return counted(state, phrase);
  }
  if (token.kind !== "term") return null;
  warnAboutNeighbours(state, token);
  return counted(state, readTerm(contextOf(state, token, isNegated), token));
}

function readGroup(state: State, open: Token): QueryNode | null {
  if (isTooDeep(state, spanOf(open))) {
    skipGroup(state);
    return null;
  }
  state.index++;
  const isEmpty = state.tokens[state.index]?.kind === "close";
  state.depth++;
  const node = readConjunction(state);
  state.depth--;
  const close = state.tokens[state.index];
  if (close === undefined) {
    report(state, "unclosed_group", spanOf(open), {
      message: "a ( opens a group that no ) closes",
      hint: "add the ) where the group ends, or leave out the (",
    });
    return node;
  }
  state.index++;
  const span = { offset: open.start, length: close.end - open.start };
  if (isEmpty) {
    report(state, "empty_group", span, {
      message: "a group without terms",
      hint: "write terms between the parentheses, or leave them out",
    });
  }
  return node !== null && (node.kind === "and" || node.kind === "or") ? { ...node, span } : node;
}

/** Whether one more level of groups, written or implied, would pass the bound; says so once. */
function isTooDeep(state: State, span: Span): boolean {
  if (state.depth < deepestNesting) return false;
  reportOnce(state, "query_too_deep", span, {
    message: `groups nest deeper than ${deepestNesting}`,
    hint: "leave out parentheses that change nothing, or split the query",
  });
  return true;
}

function skipGroup(state: State): void {
  let depth = 0;
  while (state.index < state.tokens.length) {
    const kind = state.tokens[state.index]?.kind;
    state.index++;
    if (kind === "open") depth++;
    if (kind === "close") depth--;
    if (depth === 0) return;
  }
}

/** The node, unless its terms pass the bound or its implied group is too deep. */
function counted(state: State, node: QueryNode | null): QueryNode | null {
  if (node === null) return null;
  if (node.kind === "and" && isTooDeep(state, node.span)) return null;
  state.terms += node.kind === "and" ? node.children.length : 1;
  if (state.terms <= mostTerms) return node;
  reportOnce(state, "too_many_terms", node.span, {
    message: `the query has more than ${mostTerms} terms`,
    hint: "split it into several queries",
  });
  return null;
}

function contextOf(state: State, token: Token, isNegated: boolean) {
  const { source, tokens, index } = state;
  const next = tokens[index];
  const following = next?.kind === "term" ? foldedBetween(source, next.start, next.end) : "";
  return {
    source,
    isNegated,
    following,
    touchesGroup: next?.kind === "open" && next.start === token.end,
    report: (code: DiagnosticCode, span: Span, remark: Remark) => report(state, code, span, remark),
  };
}

/** A lower-case `or` between two terms, and a colon that a space parts from the name of an operator. */
function warnAboutNeighbours(state: State, token: TermToken): void {
  const { source, tokens, index } = state;
  const before = tokens[index - 2];
  const after = tokens[index];
  const folded = foldedBetween(source, token.start, Math.min(token.end, token.start + 3));
  const standsBetween =
    (before?.kind === "term" || before?.kind === "phrase" || before?.kind === "close") &&
    after !== undefined &&
    !cannotStartTerm(after);
  if (folded.toLowerCase() === "or" && standsBetween && !token.isForced) {
    report(state, "lower_case_or", spanOf(token), {
      message: `${textBetween(source, token.start, token.end)} is searched as a word`,
      hint: "write OR in capitals for alternatives",
    });
  }
  if (before?.kind !== "term" || !folded.startsWith(":")) return;
  const name = textBetween(source, before.start, before.end);
  if (!isOperatorName(name)) return;
  report(
    state,
    "space_before_colon",
    { offset: before.start, length: token.end - before.start },
    {
      message: `${name} is searched as a word, as a space parts it from its colon`,
      hint: `leave out the space: ${name}:${shown(textBetween(source, token.start + 1, token.end) || "…")}`,
    },
  );
}

function reportMissingTerm(state: State, token: Token): void {
  const word = textBetween(state.source, token.start, token.end);
  const isNegation = token.kind === "minus" || token.kind === "not";
  report(state, "missing_term", spanOf(token), {
    message: isNegation ? `${word} has no term after it` : `${word} needs a term on both sides`,
    hint: isNegation
      ? `write the term to exclude after it`
      : `add the missing term, or write "${word}" in quotes to search for the word`,
    expected: ["a word", "a phrase", "an operator", "a group"],
  });
}

function atEnd(state: State): boolean {
  const token = state.tokens[state.index];
  return token === undefined || token.kind === "close";
}

function spanOf(token: Token): Span {
  return { offset: token.start, length: token.end - token.start };
}

function wholeSpan(nodes: readonly QueryNode[]): Span {
  const first = nodes[0]?.span;
  const last = nodes.at(-1)?.span;
  if (first === undefined || last === undefined) return { offset: 0, length: 0 };
  return { offset: first.offset, length: last.offset + last.length - first.offset };
}

function excerpt(text: string): string {
  const characters = Array.from(text);
  return characters.length > 160 ? `${characters.slice(0, 160).join("")}…` : text;
}

/** Adds a diagnostic, unless the same was already said of the same place. */
function report(state: State, code: DiagnosticCode, span: Span, remark: Remark): void {
  reportUnlessTold(state, `${code} ${span.offset}`, code, span, remark);
}

/** Adds a diagnostic, unless its code was already reported this way anywhere. */
function reportOnce(state: State, code: DiagnosticCode, span: Span, remark: Remark): void {
  reportUnlessTold(state, code, code, span, remark);
}

function reportUnlessTold(
  state: State,
  key: string,
  code: DiagnosticCode,
  span: Span,
  remark: Remark,
): void {
  if (state.told.has(key)) return;
  state.told.add(key);
  state.diagnostics.push(makeDiagnostic(code, span, remark));
}
