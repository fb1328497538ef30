import { phraseSequence, querySequence } from "../text/sequence.ts";
import { urlQueryTokens } from "../text/urls.ts";
import { printQuery } from "../tree/print.ts";
import { textBetween } from "../tree/source.ts";
import { makeAnd, makeNot, makeOr, type QueryNode, type QuerySpan } from "../tree/tree.ts";
import { warnAboutConjunction } from "./conjunction.ts";
import { readPhrase, readTerm } from "./leaf.ts";
import type { Lexeme } from "./lex.ts";
import { maxNestingDepth, maxTerms } from "./limits.ts";
import { warnAboutNeighbours } from "./neighbours.ts";
import {
  atEnd,
  cannotStartTerm,
  lexemeSpan,
  type Negation,
  type ParserState,
  report,
  reportOnce,
  termContext,
} from "./parser-state.ts";

export function readQuery(parser: ParserState): QueryNode | null {
  const parts: QueryNode[] = [];
  while (parser.index < parser.lexemes.length) {
    const part = readConjunction(parser);
    if (part !== null) parts.push(part);
    const stray = parser.lexemes[parser.index];
    if (stray === undefined) break;
    report(parser, "unopened_group", lexemeSpan(stray), {
      message: "unmatched )",
      hint: "add the ( or remove the )",
    });
    parser.index++;
  }
  return makeAnd(parts, enclosingSpan(parts));
}

function readConjunction(parser: ParserState): QueryNode | null {
  const parts: QueryNode[] = [];
  let bareOr: QueryNode | null = null;
  let count = 0;
  while (!atEnd(parser)) {
    readAnd(parser, count > 0);
    if (atEnd(parser)) break;
    const part = readAlternatives(parser);
    count++;
    if (part.node === null) continue;
    parts.push(part.node);
    if (part.isBareOr) bareOr ??= part.node;
  }
  const node = makeAnd(parts, enclosingSpan(parts));
  warnAboutConjunction(parts, (code, span, details) => report(parser, code, span, details));
  if (bareOr === null || node === null || parts.length < 2) return node;
  if (rejectIfTooDeep(parser, bareOr.span)) return null;
  report(parser, "or_binds_tighter", bareOr.span, {
    message: "OR binds tighter than a space",
    hint: `parsed as ${excerpt(printQuery(node))}; put parentheses around the terms that belong together`,
  });
  return node;
}

/** Skips AND, reporting each that is not between terms. */
function readAnd(parser: ParserState, hasTermBefore: boolean): void {
  let hasTerm = hasTermBefore;
  for (;;) {
    const lexeme = parser.lexemes[parser.index];
    if (lexeme?.kind !== "and") return;
    parser.index++;
    if (!hasTerm || atEnd(parser)) reportMissingTerm(parser, lexeme);
    hasTerm = false;
  }
}

type Alternatives = { node: QueryNode | null; isBareOr: boolean };

function readAlternatives(parser: ParserState): Alternatives {
  const nodes: QueryNode[] = [];
  const first = parser.lexemes[parser.index];
  if (first?.kind === "or") {
    reportMissingTerm(parser, first);
  } else {
    readAlternative(parser, nodes);
  }
  for (;;) {
    const orLexeme = parser.lexemes[parser.index];
    if (orLexeme?.kind !== "or") break;
    parser.index++;
    const next = parser.lexemes[parser.index];
    if (next !== undefined && !cannotStartTerm(next)) {
      readAlternative(parser, nodes);
    } else if (orLexeme !== first) {
      reportMissingTerm(parser, orLexeme);
    }
  }
  return { node: makeOr(nodes, enclosingSpan(nodes)), isBareOr: nodes.length > 1 };
}

function readAlternative(parser: ParserState, nodes: QueryNode[]): void {
  const node = readNegation(parser);
  if (node !== null) nodes.push(node);
}

function readNegation(parser: ParserState): QueryNode | null {
  const first = parser.lexemes[parser.index];
  let isNegated = false;
  let last = first;
  for (;;) {
    const lexeme = parser.lexemes[parser.index];
    if (lexeme?.kind !== "minus" && lexeme?.kind !== "not") break;
    isNegated = !isNegated;
    last = lexeme;
    parser.index++;
  }
  const next = parser.lexemes[parser.index];
  if (first === undefined || last === undefined) return null;
  if (next === undefined || cannotStartTerm(next)) {
    reportMissingTerm(parser, last);
    return null;
  }
  const node = readPrimary(parser, next, { isNegated, start: first.start });
  if (node === null || !isNegated) return node;
  return makeNot(node, {
    offset: first.start,
    length: node.span.offset + node.span.length - first.start,
  });
}

function readPrimary(parser: ParserState, lexeme: Lexeme, negation: Negation): QueryNode | null {
  if (lexeme.kind === "open") return readGroup(parser, lexeme);
  parser.index++;
  if (lexeme.kind === "phrase") {
    if (!lexeme.isClosed && lexeme.text.trim() === "") return null;
    const phrase = readPhrase(
      termContext(parser, lexeme, negation),
      lexeme.text,
      lexemeSpan(lexeme),
    );
    return withinLimits(parser, phrase);
  }
  if (lexeme.kind !== "term") return null;
  if (warnAboutNeighbours(parser, lexeme)) return null;
  return withinLimits(parser, readTerm(termContext(parser, lexeme, negation), lexeme));
}

function readGroup(parser: ParserState, open: Lexeme): QueryNode | null {
  if (rejectIfTooDeep(parser, lexemeSpan(open))) {
    skipGroup(parser);
    return null;
  }
  parser.index++;
  const isEmpty = parser.lexemes[parser.index]?.kind === "close";
  parser.depth++;
  const node = readConjunction(parser);
  parser.depth--;
  const close = parser.lexemes[parser.index];
  if (close === undefined) {
    report(parser, "unclosed_group", lexemeSpan(open), {
      message: "unclosed (",
      hint: "add the ) where the group ends, or remove the (",
    });
    return node;
  }
  parser.index++;
  const span = { offset: open.start, length: close.end - open.start };
  if (isEmpty) {
    report(parser, "empty_group", span, {
      message: "empty group",
      hint: "add terms between the parentheses, or remove them",
    });
  }
  return node !== null && (node.kind === "and" || node.kind === "or") ? { ...node, span } : node;
}

function rejectIfTooDeep(parser: ParserState, span: QuerySpan): boolean {
  if (parser.depth < maxNestingDepth) return false;
  reportOnce(parser, "query_too_deep", span, {
    message: `groups nest deeper than ${maxNestingDepth}`,
    hint: "remove redundant parentheses, or split the query",
  });
  return true;
}

function skipGroup(parser: ParserState): void {
  let depth = 0;
  while (parser.index < parser.lexemes.length) {
    const kind = parser.lexemes[parser.index]?.kind;
    parser.index++;
    if (kind === "open") depth++;
    if (kind === "close") depth--;
    if (depth === 0) return;
  }
}

function withinLimits(parser: ParserState, node: QueryNode | null): QueryNode | null {
  if (node === null) return null;
  if (node.kind === "and" && rejectIfTooDeep(parser, node.span)) return null;
  const terms = countTerms(node);
  parser.termCount += terms;
  if (parser.termCount <= maxTerms) return node;
  reportOnce(parser, "too_many_terms", node.span, {
    message: `the query has more than ${maxTerms} terms`,
    hint:
      terms > 1
        ? "shorten the phrase, each word of which is a term, or split the query"
        : "split the query",
  });
  return null;
}

function reportMissingTerm(parser: ParserState, lexeme: Lexeme): void {
  const word = textBetween(parser.source, lexeme.start, lexeme.end);
  const isNegation = lexeme.kind === "minus" || lexeme.kind === "not";
  report(parser, "missing_term", lexemeSpan(lexeme), {
    message: isNegation
      ? `${word} requires a term after it`
      : `${word} requires a term on both sides`,
    hint: isNegation
      ? "add the term to exclude"
      : `add the missing term, or write "${word}" in quotes to search for the word`,
    expected: ["a word", "a phrase", "an operator", "a group"],
  });
}

function enclosingSpan(nodes: readonly QueryNode[]): QuerySpan {
  const first = nodes[0]?.span;
  const last = nodes.at(-1)?.span;
  if (first === undefined || last === undefined) return { offset: 0, length: 0 };
  return { offset: first.offset, length: last.offset + last.length - first.offset };
}

function excerpt(text: string): string {
  const characters = Array.from(text);
  return characters.length > 160 ? `${characters.slice(0, 160).join("")}…` : text;
}

/**
 * Counts the words in a word, phrase or link (characters in scripts without spaces); otherwise 1.
 */
function countTerms(node: QueryNode): number {
  switch (node.kind) {
    case "and":
    case "or":
      return node.children.reduce((sum, child) => sum + countTerms(child), 0);
    case "not":
      return countTerms(node.child);
    case "word":
      return Math.max(1, querySequence(node.text).length);
    case "phrase":
      return Math.max(1, phraseSequence(node.text).length);
    case "url":
      return Math.max(1, urlQueryTokens(node.text).length);
    default:
      return 1;
  }
}
