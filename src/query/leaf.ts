import { foldHandle, foldTag, readHashtag, readMention } from "../text/entities.ts";
import { findLinks } from "../text/links.ts";
import { phraseSequence, querySequence } from "../text/sequence.ts";
import { mostTerms } from "./bounds.ts";
import { makeAnd } from "./build.ts";
import { codePointLength, foldedBetween, type Source, textBetween } from "./characters.ts";
import type { DiagnosticCode, Remark } from "./diagnostics.ts";
import { keywordOf, type TermToken } from "./lex.ts";
import { shown } from "./operand.ts";
import { operatorNode } from "./operator-node.ts";
import { isOperatorName, nearestOperator } from "./operators.ts";
import type { QueryNode, Span } from "./tree.ts";

/** What the reading of one term may use of the reading of the whole query. */
export type TermContext = {
  source: Source;
  report: (code: DiagnosticCode, span: Span, remark: Remark) => void;
  /** Whether an odd number of negations stands before the term. */
  isNegated: boolean;
  /** Whether an opening parenthesis touches the term's end. */
  touchesGroup: boolean;
  /** What follows the term, up to the next white space. */
  following: string;
};

/** The node of a term, or null when it is left out; then a diagnostic says why. */
export function readTerm(context: TermContext, token: TermToken): QueryNode | null {
  if (token.quoted !== null) return readQuotedValue(context, token, token.quoted);
  const parts = readParts(context, token);
  const span = { offset: token.start, length: token.end - token.start };
  return makeAnd(parts, span);
}

/** A quotation: the words side by side, or the question mark or the link when that is all it holds. */
export function readPhrase(context: TermContext, text: string, span: Span): QueryNode | null {
  if (isQuestion(text)) return { kind: "question", span };
  const bare = text.trim();
  if (!/\s/u.test(bare) && isUrl(bare, bare)) return { kind: "url", text: bare, span };
  const isEmpty = phraseSequence(text).every((element) => element.kind === "any");
  if (!isEmpty) return { kind: "phrase", text, span };
  return nothingToSearch(context, text, span);
}

function readQuotedValue(context: TermContext, token: TermToken, value: string): QueryNode | null {
  const name = foldedBetween(context.source, token.start, token.valueStart - 1);
  const span = { offset: token.start, length: token.end - token.start };
  if (isOperatorName(name)) {
    const valueSpan = { offset: token.valueStart, length: token.end - token.valueStart };
    return operatorNode(context, { name, value: value.trim(), span, valueSpan });
  }
  const phrase = readPhrase(context, `${name} ${value}`, span);
  if (phrase !== null) warnUnknownOperator(context, name, span);
  return phrase;
}

/** `#tag's` is a hashtag and a word: an entity ends where its characters end, and what touches it is a part of its own. */
function readParts(context: TermContext, token: TermToken): QueryNode[] {
  const parts: QueryNode[] = [];
  let start = skipDashes(context, token);
  // More parts than that are refused whatever they are.
  while (start < token.end && parts.length <= mostTerms) {
    const part = readPart(context, token, start);
    if (part.node !== null) parts.push(part.node);
    start = skipPunctuation(context.source, part.end, token.end);
  }
  return parts;
}

/** Dashes in front of a term are not minuses; a reader cannot tell them apart, so they are named. */
function skipDashes(context: TermContext, token: TermToken): number {
  const { folded } = context.source;
  let end = token.start;
  while (end < token.end && /^[‐‑‒–—―+-]$/u.test(folded[end] ?? "")) end++;
  if (end === token.start) return token.start;
  const rest = textBetween(context.source, end, token.end);
  if (querySequence(rest).length === 0) return token.start;
  const dash = textBetween(context.source, token.start, end);
  context.report(
    "dash_is_not_minus",
    { offset: token.start, length: end - token.start },
    {
      message: `${shown(dash)} is a dash, not a minus: it excludes nothing`,
      hint: `write -${shown(rest)} to exclude it`,
    },
  );
  return end;
}

const glue = /^(?:(?![#@])[\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Cf}\p{M}])$/u;

function skipPunctuation(source: Source, start: number, end: number): number {
  let at = start;
  while (at < end && glue.test(source.folded[at] ?? "")) at++;
  return at;
}

type Part = { node: QueryNode | null; end: number };

function readPart(context: TermContext, token: TermToken, start: number): Part {
  const { source } = context;
  const text = textBetween(source, start, token.end);
  const folded = foldedBetween(source, start, token.end);
  const span = { offset: start, length: token.end - start };
  if (folded.startsWith("#") || folded.startsWith("@")) {
    const entity = readEntity(folded[0] + text.slice(1), start);
    if (entity !== null) return entity;
  }
  return { node: readWhole(context, token, text, folded, span), end: token.end };
}

function readEntity(text: string, start: number): Part | null {
  const isTag = text.startsWith("#");
  const did = isTag ? null : /^@(did:[a-z0-9]+:[a-z0-9._:%-]*[a-z0-9._-])/i.exec(text);
  if (did?.[1] !== undefined) {
    const span = { offset: start, length: did[0].length };
    return { node: { kind: "mention", user: did[1], span }, end: start + span.length };
  }
  const entity = isTag ? readHashtag(text, 0) : readMention(text, 0);
  if (entity === null || /^[\p{Script=Latin}\p{M}]/u.test(text.slice(entity.end))) return null;
  const span = { offset: start, length: codePointLength(text.slice(0, entity.end)) };
  const node: QueryNode = isTag
    ? { kind: "hashtag", tag: foldTag(entity.value), span }
    : { kind: "mention", user: foldHandle(entity.value), span };
  return { node, end: start + span.length };
}

const cashtag = /^\$[a-z]{1,6}(?:[._][a-z]{1,2})?$/i;
function readWhole(
  context: TermContext,
  token: TermToken,
  text: string,
  folded: string,
  span: Span,
): QueryNode | null {
  if (isUrl(text, folded)) return { kind: "url", text: text.replace(/[.,;:!?'…]+$/u, ""), span };
  if (cashtag.test(folded)) {
    return unavailable(
      context,
      span,
      `the cashtag ${text}`,
      `write ${text.slice(1)} to search for the word`,
    );
  }
  const operator = readOperator(context, token, text, folded, span);
  if (operator !== undefined) return operator;
  if (isQuestion(text)) return { kind: "question", span };
  if (keywordOf(folded) !== null) return { kind: "phrase", text, span };
  return readWord(context, text, span);
}

/** A term with a colon: the node of an operator, or undefined when its name means nothing here. */
function readOperator(
  context: TermContext,
  token: TermToken,
  text: string,
  folded: string,
  span: Span,
): QueryNode | null | undefined {
  const match = /^([a-z0-9_]+):/i.exec(folded);
  const name = match?.[1];
  if (name === undefined) return undefined;
  const value = text.slice(name.length + 1);
  if (isOperatorName(name)) {
    const offset = span.offset + name.length + 1;
    const valueSpan = { offset, length: token.end - offset };
    return operatorNode(context, { name, value, span, valueSpan });
  }
  const isBare = querySequence(value).length === 0;
  if (isBare && !context.touchesGroup) return undefined;
  if (hasWildcard(text)) return undefined;
  warnUnknownOperator(context, name, span);
  return isBare ? undefined : readPhrase(context, text, span);
}

function warnUnknownOperator(context: TermContext, name: string, span: Span): void {
  const near = name.toLowerCase() === "did" ? "from:did" : nearestOperator(name);
  context.report("unknown_operator", span, {
    message: `${shown(name)}: is not an operator, so its words are searched as a phrase`,
    hint: near === null ? "put it in quotes if the phrase is meant" : `did you mean ${near}:`,
  });
}

function readWord(context: TermContext, text: string, span: Span): QueryNode | null {
  if (querySequence(text).length === 0) return nothingToSearch(context, text, span);
  if (hasWildcard(text)) {
    context.report("wildcard_not_available", span, {
      message: `${shown(text)} holds a *, and parts of words cannot be searched`,
      hint: "write the words out, as in (run OR runs OR running); within quotes a lone * stands for any one word",
    });
    return null;
  }
  warnLookalike(context, text, span);
  return { kind: "word", text: withoutQuestionMarks(text), span };
}

/** `#123` and the like: they look like an entity and are none. */
function warnLookalike(context: TermContext, text: string, span: Span): void {
  if (!/^[#@＃＠]+[\p{L}\p{N}_]/u.test(text)) return;
  const bare = text.replace(/^[#@＃＠]+/u, "");
  const hint = `write ${shown(bare)} if the word is meant`;
  if (/^[@＠]/u.test(text)) {
    const message = `${shown(text)} cannot be a username, so its words are searched`;
    context.report("not_a_mention", span, { message, hint });
  } else {
    const message = `${shown(text)} cannot be a hashtag, so its words are searched`;
    context.report("not_a_hashtag", span, { message, hint });
  }
}

function nothingToSearch(context: TermContext, text: string, span: Span): null {
  const message = `${shown(text) === "" ? "an empty phrase" : shown(text)} holds nothing that can be searched, so it is left out`;
  context.report("nothing_to_search", span, { message, hint: hintForPunctuation(text) });
  return null;
}

function hintForPunctuation(text: string): string {
  if (/^\|+$/.test(text)) return "write OR between alternatives";
  if (text.includes("*")) return "within quotes a lone * stands for any one word";
  return "only words, numbers, emoji and a lone ? are searched";
}

function unavailable(context: TermContext, span: Span, what: string, hint: string): null {
  const message = `${shown(what)} is not supported by this version`;
  context.report("operator_not_available", span, { message, hint });
  return null;
}

/** Question marks of any script by themselves, perhaps with exclamation marks. */
function isQuestion(text: string): boolean {
  return /^[!！]*[?？﹖؟⁇⁈⁉⸮\u037e][?？﹖؟⁇⁈⁉⸮\u037e!！]*$/u.test(text.trim());
}

/** `word?` is the word; a keyword keeps its mark, which is what makes it a word. */
function withoutQuestionMarks(text: string): string {
  const bare = text.replace(/[?？﹖؟⁇⁈⁉⸮]+$/u, "");
  return keywordOf(bare.normalize("NFKC")) === null ? bare : text;
}

/** A `*` that touches a letter or a digit. */
function hasWildcard(text: string): boolean {
  return /[\p{L}\p{N}]\*|\*[\p{L}\p{N}]/u.test(text.normalize("NFKC"));
}

/**
 * Whether the term is a link: whatever would be one in the text of a post, where links are no words, and anything with a scheme.
 * Punctuation behind it is not part of it.
 */
function isUrl(text: string, folded: string): boolean {
  if (/^https?:\/\/[\p{L}\p{N}]/iu.test(folded)) return true;
  const [link] = findLinks(text);
  return link?.start === 0 && /^\p{P}*$/u.test(text.slice(link.end));
}
