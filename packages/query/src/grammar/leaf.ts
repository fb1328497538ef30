import type { BareLeaf } from "../operators/operand.ts";
import { isOperatorName } from "../operators/operators.ts";
import { readPostUrl } from "../operators/post-url.ts";
import {
  foldHandle,
  foldTag,
  readCashtag,
  readEmoticon,
  readHashtag,
  readMention,
} from "../text/entities.ts";
import { findLinks } from "../text/links.ts";
import { querySequence } from "../text/sequence.ts";
import {
  codePointLength,
  foldedBetween,
  textBetween,
  withoutEnding,
  withoutInvisible,
} from "../tree/source.ts";
import { makeAnd, type QueryLeaf, type QueryNode, type QuerySpan } from "../tree/tree.ts";
import { skipDashes, warnExclamation, warnTrailingSymbols } from "./ignored-symbols.ts";
import { readKeyword, type TermLexeme } from "./lex.ts";
import { maxTerms } from "./limits.ts";
import { operatorNode } from "./operator-node.ts";
import type { TermContext } from "./parser-state.ts";
import { warnUnknownOperator } from "./unknown-operator.ts";
import { hasWildcard, isQuestionMark, readWord, readWords, rejectWildcard } from "./word.ts";

export function readTerm(context: TermContext, lexeme: TermLexeme): QueryNode | null {
  if (lexeme.quotedValue !== null) return readQuotedValue(context, lexeme, lexeme.quotedValue);
  const parts = readParts(context, lexeme);
  return makeAnd(parts, { offset: lexeme.start, length: lexeme.end - lexeme.start });
}

/** A phrase that consists only of a link, emoticon or question mark becomes a leaf of that kind. */
export function readPhrase(context: TermContext, text: string, span: QuerySpan): QueryNode | null {
  if (isQuestionMark(text)) return { kind: "question", span };
  const trimmedText = text.trim();
  if (!/\s/u.test(trimmedText) && isUrl(trimmedText, trimmedText))
    return urlLeaf(context, trimmedText, span);
  const emoticon = readEmoticon(trimmedText);
  if (emoticon !== null) return { kind: "emoticon", text: emoticon, span };
  return readWords(context, text, span);
}

function readQuotedValue(
  context: TermContext,
  lexeme: TermLexeme,
  value: string,
): QueryNode | null {
  const name = foldedBetween(context.source, lexeme.start, lexeme.valueStart - 1);
  const span = { offset: lexeme.start, length: lexeme.end - lexeme.start };
  if (isOperatorName(name)) {
    const valueSpan = { offset: lexeme.valueStart, length: lexeme.end - lexeme.valueStart };
    return operatorNode(context, { name, value: withoutInvisible(value).trim(), span, valueSpan });
  }
  const phrase = readPhrase(context, `${name} ${value}`, span);
  const quotation = textBetween(context.source, lexeme.valueStart, lexeme.end);
  if (phrase !== null) warnUnknownOperator(context, name, quotation, span);
  return phrase;
}

type Piece = { text: string; folded: string; span: QuerySpan };

/** Before a mention, hashtag or URL (`.@nasa`). */
const leadingPunctuation = /^[.,;:…'’]+(?=[@#]|https?:\/\/)/i;
const otherQuestionMarks = /[؟⁇⁈⁉⸮]/g;

/**
 * `#tag's` is a hashtag and a word: an entity ends at its last valid character, and the rest is a
 * separate part.
 */
function readParts(context: TermContext, lexeme: TermLexeme): QueryNode[] {
  const parts: QueryNode[] = [];
  const start = skipDashes(context, lexeme);
  warnExclamation(context, lexeme);
  const text = textBetween(context.source, start, lexeme.end);
  const plainText = withPlainSigils(text);
  const folded = foldedBetween(context.source, start, lexeme.end).replace(otherQuestionMarks, "?");
  let position = leadingPunctuation.exec(folded)?.[0].length ?? 0;
  let offset = start + position;
  // More would exceed the term limit anyway.
  while (position < text.length && parts.length <= maxTerms) {
    const entity = readEntity(plainText, folded, position, offset);
    if (entity === null) {
      const span = { offset, length: lexeme.end - offset };
      const remainder = { text: text.slice(position), folded: folded.slice(position), span };
      const node = readPiece(context, remainder);
      if (node !== null) parts.push(node);
      break;
    }
    const next = skipPunctuation(folded, entity.end);
    const suffix = folded.slice(entity.end, next);
    if (suffix.startsWith("*")) {
      rejectWildcard(context, text, { offset: start, length: lexeme.end - start });
      return [];
    }
    parts.push(entity.leaf);
    warnTrailingSymbols(context, text.slice(position, entity.end), suffix, entity.leaf.span);
    offset += codePointLength(text.slice(position, next));
    position = next;
  }
  return parts;
}

const separators = /(?:(?![#@])[\p{P}\p{Sm}\p{Sc}\p{Sk}\p{Cf}\p{M}])*/uy;

function skipPunctuation(folded: string, offset: number): number {
  separators.lastIndex = offset;
  return offset + (separators.exec(folded)?.[0].length ?? 0);
}

function readPiece(context: TermContext, piece: Piece): QueryNode | null {
  const { text, folded, span } = piece;
  const name = /^([a-z0-9_]+):/i.exec(folded)?.[1];
  if (name !== undefined && isOperatorName(name)) return readOperator(context, name, piece);
  if (isUrl(text, folded)) return urlLeaf(context, withoutEnding(text, ".,;:!?'…"), span);
  if (name !== undefined && looksLikeOperator(context, name, piece)) {
    return readPhrase(context, text, span);
  }
  const emoticon = readEmoticon(withoutEnding(folded, ".,!?…"));
  if (emoticon !== null) return { kind: "emoticon", text: emoticon, span };
  if (isQuestionMark(text)) return { kind: "question", span };
  if (readKeyword(folded) !== null) return { kind: "phrase", text, span };
  return readWord(context, text, span);
}

function urlLeaf(context: TermContext, url: string, span: QuerySpan): QueryNode {
  const { text, warning } = readPostUrl(withoutInvisible(url));
  if (warning !== null) context.report("post_address", span, warning);
  return { kind: "url", text, span };
}

function readOperator(context: TermContext, name: string, { text, span }: Piece): QueryNode | null {
  const start = name.length + 1;
  const valueSpan = { offset: span.offset + start, length: span.length - start };
  const value = withoutInvisible(text.slice(start));
  return operatorNode(context, { name, value, span, valueSpan });
}

function looksLikeOperator(context: TermContext, name: string, { text, span }: Piece): boolean {
  const value = text.slice(name.length + 1);
  const isBare = querySequence(value).length === 0;
  if ((isBare && !context.touchesGroup) || hasWildcard(text)) return false;
  warnUnknownOperator(context, name, value, span);
  return !isBare;
}

/**
 * True for anything with an HTTP scheme, and for a link as in a post, ignoring trailing
 * punctuation.
 */
function isUrl(text: string, folded: string): boolean {
  if (/^https?:\/\/[\p{L}\p{N}]/iu.test(folded)) return true;
  const [link] = findLinks(text);
  return link?.start === 0 && /^\p{P}*$/u.test(text.slice(link.end));
}

/** `end` is a UTF-16 offset. */
type QueryEntity = { leaf: QueryLeaf; end: number };

type BareEntity = { leaf: BareLeaf; end: number };

const did = /[@＠](did:[a-z0-9]+:[a-z0-9._:%-]*[a-z0-9._-])/iy;
const continuation = /^[\p{Script=Latin}\p{M}]/u;

function withPlainSigils(text: string): string {
  return text.replaceAll("\ufe5f", "#").replaceAll("\ufe6b", "@");
}

/**
 * `text` has ASCII or full-width sigils, `folded` is fully folded. `position` is in UTF-16 code
 * units, `offset` in code points.
 */
function readEntity(
  text: string,
  folded: string,
  position: number,
  offset: number,
): QueryEntity | null {
  const found = readBareEntity(folded[position] ?? "", text, folded, position);
  if (found === null) return null;
  const length = codePointLength(text.slice(position, found.end));
  return { leaf: { ...found.leaf, span: { offset, length } }, end: found.end };
}

function readBareEntity(
  sigil: string,
  text: string,
  folded: string,
  offset: number,
): BareEntity | null {
  if (sigil === "$") {
    const found = readCashtag(folded, offset);
    return (
      found && { leaf: { kind: "cashtag", symbol: found.value.toLowerCase() }, end: found.end }
    );
  }
  if (sigil === "#") {
    const found = unlessContinued(text, readHashtag(text, offset));
    const tag = foldTag(found?.value ?? "");
    // Folding turns some Arabic vowel signs into a space and a mark.
    return found === null || /\s/u.test(tag)
      ? null
      : { leaf: { kind: "hashtag", tag }, end: found.end };
  }
  if (sigil !== "@") return null;
  did.lastIndex = offset;
  const [match = "", user] = did.exec(text) ?? [];
  if (user !== undefined) return { leaf: { kind: "mention", user }, end: offset + match.length };
  const found = unlessContinued(text, readMention(text, offset));
  return found && { leaf: { kind: "mention", user: foldHandle(found.value) }, end: found.end };
}

/** `@naïve` is not a mention: the name continues beyond a handle's characters. */
function unlessContinued<Found extends { end: number }>(
  text: string,
  found: Found | null,
): Found | null {
  return found === null || continuation.test(text.slice(found.end, found.end + 2)) ? null : found;
}
