import { truncate } from "../operators/operand.ts";
import { findMentions } from "../text/entities.ts";
import { findLinks } from "../text/links.ts";
import { phraseSequence, querySequence } from "../text/sequence.ts";
import type { Rewrites } from "../tree/diagnostics.ts";
import {
  findClosingQuote,
  invisibleCharacters,
  withoutEnding,
  withoutInvisible,
} from "../tree/source.ts";
import type { QueryNode, QuerySpan } from "../tree/tree.ts";
import { warnIgnoredSymbols } from "./ignored-symbols.ts";
import { readKeyword } from "./lex.ts";
import type { TermContext } from "./parser-state.ts";

export function readWord(context: TermContext, text: string, span: QuerySpan): QueryNode | null {
  if (querySequence(text).length === 0) return reportNothingToSearch(context, text, span);
  if (hasWildcard(text)) return rejectWildcard(context, text, span);
  const wordText = withoutQuestionMarks(text);
  if (text.includes("?", wordText.length)) warnQuestionMark(context, text, wordText, span);
  if (!warnLookalike(context, text, span) && !warnNoWords(context, text, span))
    warnIgnoredSymbols(context, wordText, span);
  return { kind: "word", text: wordText, span };
}

export function readWords(context: TermContext, text: string, span: QuerySpan): QueryNode | null {
  const isEmpty = phraseSequence(text).every((element) => element.kind === "any");
  if (isEmpty) return reportNothingToSearch(context, text, span);
  if (hasWildcardAtWordEdge(text)) return rejectWildcard(context, text, span);
  warnStarsAtEdges(context, text, span);
  warnNoWordsInQuotes(context, text, span);
  return { kind: "phrase", text, span };
}

export function rejectWildcard(context: TermContext, text: string, span: QuerySpan): null {
  context.report("wildcard_not_available", span, {
    message: `${truncate(text)} contains a *, but wildcards within words are not supported`,
    hint: "list the forms of the word instead, as in (run OR runs OR running); within quotes, a separate * matches any one word",
  });
  return null;
}

function warnStarsAtEdges(context: TermContext, text: string, span: QuerySpan): void {
  const parts = text.split(/\s+/u).filter((part) => part !== "");
  const isStar = (part: string): boolean => part === "*" || part === "＊";
  const first = parts.findIndex((part) => !isStar(part));
  const last = parts.findLastIndex((part) => !isStar(part));
  if (first === 0 && last === parts.length - 1) return;
  const remainder = parts.slice(first, last + 1).join(" ");
  context.report("no_effect", span, {
    message: "a * at the start or end of a phrase has no effect",
    hint: {
      lead: "write",
      queries: [remainder.includes(" ") ? `"${remainder}"` : remainder],
      otherwise: "remove it",
    },
  });
}

const lookalikes = [
  { sigil: /^[#＃]+(?=[\p{L}\p{N}_])/u, code: "not_a_hashtag", description: "a hashtag" },
  { sigil: /^[@＠]+(?=[\p{L}\p{N}_])/u, code: "not_a_mention", description: "a username" },
  { sigil: /^[$＄]+(?=\p{L})/u, code: "not_a_cashtag", description: "a cashtag" },
] as const;

function warnLookalike(context: TermContext, text: string, span: QuerySpan): boolean {
  for (const { sigil, code, description } of lookalikes) {
    const sigils = sigil.exec(text)?.[0];
    if (sigils === undefined) continue;
    context.report(code, span, {
      message: `${truncate(text)} is not ${description}, so its words are searched for`,
      hint: `write ${truncate(text.slice(sigils.length))} if you mean the word`,
    });
    return true;
  }
  return false;
}

function reportNothingToSearch(context: TermContext, text: string, span: QuerySpan): null {
  const description = text.trim() === "" ? "an empty phrase" : truncate(text);
  context.report("nothing_to_search", span, {
    message: `${description} contains nothing to search for, so it is ignored`,
    hint: hintForPunctuation(text),
  });
  return null;
}

function hintForPunctuation(text: string): string {
  const [, face] = /^([:;=]['’^-]?[()DPpOo])[()DPpOo]+$/.exec(text.normalize("NFKC")) ?? [];
  if (face !== undefined) return `write ${face} to search for the emoticon`;
  if (/^\|+$/.test(text)) return "write OR between alternatives";
  if (/^&+$/.test(text)) return "remove it: a space already means AND";
  if (/^!+$/.test(text)) return "write a minus right before a term to exclude it";
  if (/^[<>=≤≥]+$/.test(text)) return "compare with operators, such as min_faves:100";
  if (text.includes("*")) return "use a separate * within quotes for any one word";
  return "use words, numbers, emoji, emoticons or a separate ?";
}

export function isQuestionMark(text: string): boolean {
  return /^[!！]*[?？﹖؟⁇⁈⁉⸮\u037e][?？﹖؟⁇⁈⁉⸮\u037e!！]*$/u.test(text.trim());
}

/** A question mark is a wildcard in other query languages. */
function warnQuestionMark(
  context: TermContext,
  text: string,
  wordText: string,
  span: QuerySpan,
): void {
  context.report("sign_left_out", span, {
    message: `${truncate(text)} is searched for as ${truncate(wordText)}: a question mark is not a wildcard`,
    hint: {
      lead: "write",
      queries: [`${wordText} ?`],
      otherwise: "use a separate ? for posts with a question mark",
    },
  });
}

/** `OR?` keeps its mark, which makes it a word. */
function withoutQuestionMarks(text: string): string {
  const wordText = withoutEnding(text, `?？﹖؟⁇⁈⁉⸮${invisibleCharacters}`);
  return readKeyword(withoutInvisible(wordText).normalize("NFKC")) === null ? wordText : text;
}

/** True for `run*`, but not `f**k`, whose stars separate words. */
function hasWildcardAtWordEdge(text: string): boolean {
  const normalized = text.normalize("NFKC");
  return /[\p{L}\p{N}]\*+(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}*])\*+[\p{L}\p{N}]/u.test(normalized);
}

export function hasWildcard(text: string): boolean {
  return /[\p{L}\p{N}]\*|\*[\p{L}\p{N}]/u.test(text.normalize("NFKC"));
}

function warnNoWordsInQuotes(context: TermContext, text: string, span: QuerySpan): void {
  if (findClosingQuote(context.source.folded[span.offset] ?? "") === null) return;
  const found = linkOrMention(text);
  if (found === null) return;
  reportNoWords(context, found, span, `write it outside the quotes: ${truncate(found.text)}`);
}

/** Returns whether there is a link or mention. */
function warnNoWords(context: TermContext, text: string, span: QuerySpan): boolean {
  const found = linkOrMention(text);
  if (found === null) return false;
  const parts = [found.before, found.text, found.after];
  reportNoWords(context, found, span, {
    lead: "write",
    queries: [parts.filter((part) => querySequence(part).length > 0).join(" ")],
    otherwise: `put spaces around ${truncate(found.text)}`,
  });
  return true;
}

type LinkOrMention = { kind: "link" | "mention"; before: string; text: string; after: string };

function linkOrMention(text: string): LinkOrMention | null {
  const [link] = findLinks(text);
  const [mention] = link === undefined ? findMentions(text, { dottedHandles: true }) : [];
  const entity = link ?? mention;
  if (entity === undefined) return null;
  const { start, end } = entity;
  return {
    kind: link === undefined ? "mention" : "link",
    before: text.slice(0, start),
    text: text.slice(start, end),
    after: text.slice(end),
  };
}

function reportNoWords(
  context: TermContext,
  { kind, text }: LinkOrMention,
  span: QuerySpan,
  hint: string | Rewrites,
): void {
  context.report("not_a_word", span, {
    message: `${truncate(text)} is a ${kind}, and ${kind}s are not indexed as words`,
    hint,
  });
}
