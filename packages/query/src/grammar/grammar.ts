import { makeAnd, makeNot, makeOr } from "../tree/build.ts";
import { printQuery } from "../tree/print.ts";
import { textBetween } from "../tree/source.ts";
import type { QueryNode, QuerySpan } from "../tree/tree.ts";
import { warnAboutConjunction } from "./conjunction.ts";
import { contextOf, type Negation } from "./context-of.ts";
import { countTerms } from "./count-terms.ts";
import { readPhrase, readTerm } from "./leaf.ts";
import type { Lexeme } from "./lex.ts";
import { deepestNesting, maxTerms } from "./limits.ts";
import { warnAboutNeighbours } from "./neighbours.ts";
import { atEnd, cannotStartTerm, type ParserState, report, reportOnce, spanOf } from "./reader.ts";

export function readQuery(reader: ParserState): QueryNode | null {
  const parts: QueryNode[] = [];
  while (reader.index < reader.lexemes.length) {
    const part = readConjunction(reader);
    if (part !== null) parts.push(part);
    const stray = reader.lexemes[reader.index];
    if (stray === undefined) break;
    report(reader, "unopened_group", spanOf(stray), {
      message: "unmatched )",
      hint: "add the ( or remove the )",
    });
    reader.index++;
  }
  return makeAnd(parts, wholeSpan(parts));
}

function readConjunction(reader: ParserState): QueryNode | null {
  const parts: QueryNode[] = [];
  let bareOr: QueryNode | null = null;
  let count = 0;
  while (!atEnd(reader)) {
    readAnd(reader, count > 0);
    if (atEnd(reader)) break;
    const part = readAlternatives(reader);
    count++;
    if (part.node === null) continue;
    parts.push(part.node);
    if (part.isBareOr) bareOr ??= part.node;
  }
  const node = makeAnd(parts, wholeSpan(parts));
  warnAboutConjunction(parts, (code, span, details) => report(reader, code, span, details));
  if (bareOr === null || node === null || parts.length < 2) return node;
  if (rejectIfTooDeep(reader, bareOr.span)) return null;
  report(reader, "or_binds_tighter", bareOr.span, {
    message: "OR binds tighter than a space",
    hint: `parsed as ${excerpt(printQuery(node))}; put parentheses around the terms that belong together`,
  });
  return node;
}

/** Skips AND, and reports each that is not between two terms. */
function readAnd(reader: ParserState, hasTermBefore: boolean): void {
  let hasTerm = hasTermBefore;
  for (;;) {
    const lexeme = reader.lexemes[reader.index];
    if (lexeme?.kind !== "and") return;
    reader.index++;
    if (!hasTerm || atEnd(reader)) reportMissingTerm(reader, lexeme);
    hasTerm = false;
  }
}

type Alternatives = { node: QueryNode | null; isBareOr: boolean };

function readAlternatives(reader: ParserState): Alternatives {
  const nodes: QueryNode[] = [];
  const first = reader.lexemes[reader.index];
  if (first?.kind === "or") {
    reportMissingTerm(reader, first);
  } else {
    readAlternative(reader, nodes);
  }
  for (;;) {
    const or = reader.lexemes[reader.index];
    if (or?.kind !== "or") break;
    reader.index++;
    const next = reader.lexemes[reader.index];
    if (next !== undefined && !cannotStartTerm(next)) {
      readAlternative(reader, nodes);
    } else if (or !== first) {
      reportMissingTerm(reader, or);
    }
  }
  return { node: makeOr(nodes, wholeSpan(nodes)), isBareOr: nodes.length > 1 };
}

function readAlternative(reader: ParserState, nodes: QueryNode[]): void {
  const node = readNegation(reader);
  if (node !== null) nodes.push(node);
}

function readNegation(reader: ParserState): QueryNode | null {
  const first = reader.lexemes[reader.index];
  let isNegated = false;
  let last = first;
  for (;;) {
    const lexeme = reader.lexemes[reader.index];
    if (lexeme?.kind !== "minus" && lexeme?.kind !== "not") break;
    isNegated = !isNegated;
    last = lexeme;
    reader.index++;
  }
  const next = reader.lexemes[reader.index];
  if (first === undefined || last === undefined) return null;
  if (next === undefined || cannotStartTerm(next)) {
    reportMissingTerm(reader, last);
    return null;
  }
  const node = readPrimary(reader, next, { isNegated, start: first.start });
  if (node === null || !isNegated) return node;
  return makeNot(node, {
    offset: first.start,
    length: node.span.offset + node.span.length - first.start,
  });
}

function readPrimary(reader: ParserState, lexeme: Lexeme, negation: Negation): QueryNode | null {
  if (lexeme.kind === "open") return readGroup(reader, lexeme);
  reader.index++;
  if (lexeme.kind === "phrase") {
    if (!lexeme.isClosed && lexeme.text.trim() === "") return null;
    const phrase = readPhrase(contextOf(reader, lexeme, negation), lexeme.text, spanOf(lexeme));
    return counted(reader, phrase);
  }
  if (lexeme.kind !== "term") return null;
  if (warnAboutNeighbours(reader, lexeme)) return null;
  return counted(reader, readTerm(contextOf(reader, lexeme, negation), lexeme));
}

function readGroup(reader: ParserState, open: Lexeme): QueryNode | null {
  if (rejectIfTooDeep(reader, spanOf(open))) {
    skipGroup(reader);
    return null;
  }
  reader.index++;
  const isEmpty = reader.lexemes[reader.index]?.kind === "close";
  reader.depth++;
  const node = readConjunction(reader);
  reader.depth--;
  const close = reader.lexemes[reader.index];
  if (close === undefined) {
    report(reader, "unclosed_group", spanOf(open), {
      message: "unclosed (",
      hint: "add the ) where the group ends, or remove the (",
    });
    return node;
  }
  reader.index++;
  const span = { offset: open.start, length: close.end - open.start };
  if (isEmpty) {
    report(reader, "empty_group", span, {
      message: "empty group",
      hint: "add terms between the parentheses, or remove them",
    });
  }
  return node !== null && (node.kind === "and" || node.kind === "or") ? { ...node, span } : node;
}

function rejectIfTooDeep(reader: ParserState, span: QuerySpan): boolean {
  if (reader.depth < deepestNesting) return false;
  reportOnce(reader, "query_too_deep", span, {
    message: `groups nest deeper than ${deepestNesting}`,
    hint: "remove redundant parentheses, or split the query",
  });
  return true;
}

function skipGroup(reader: ParserState): void {
  let depth = 0;
  while (reader.index < reader.lexemes.length) {
    const kind = reader.lexemes[reader.index]?.kind;
    reader.index++;
    if (kind === "open") depth++;
    if (kind === "close") depth--;
    if (depth === 0) return;
  }
}

function counted(reader: ParserState, node: QueryNode | null): QueryNode | null {
  if (node === null) return null;
  if (node.kind === "and" && rejectIfTooDeep(reader, node.span)) return null;
  const terms = countTerms(node);
  reader.terms += terms;
  if (reader.terms <= maxTerms) return node;
  reportOnce(reader, "too_many_terms", node.span, {
    message: `the query has more than ${maxTerms} terms`,
    hint:
      terms > 1
        ? "shorten the phrase, each word of which is a term, or split the query"
        : "split the query",
  });
  return null;
}

function reportMissingTerm(reader: ParserState, lexeme: Lexeme): void {
  const word = textBetween(reader.source, lexeme.start, lexeme.end);
  const isNegation = lexeme.kind === "minus" || lexeme.kind === "not";
  report(reader, "missing_term", spanOf(lexeme), {
    message: isNegation
      ? `${word} requires a term after it`
      : `${word} requires a term on both sides`,
    hint: isNegation
      ? "add the term to exclude"
      : `add the missing term, or write "${word}" in quotes to search for the word`,
    expected: ["a word", "a phrase", "an operator", "a group"],
  });
}

function wholeSpan(nodes: readonly QueryNode[]): QuerySpan {
  const first = nodes[0]?.span;
  const last = nodes.at(-1)?.span;
  if (first === undefined || last === undefined) return { offset: 0, length: 0 };
  return { offset: first.offset, length: last.offset + last.length - first.offset };
}

function excerpt(text: string): string {
  const characters = Array.from(text);
  return characters.length > 160 ? `${characters.slice(0, 160).join("")}…` : text;
}
