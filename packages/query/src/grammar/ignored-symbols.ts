import { truncate } from "../operators/operand.ts";
import { dateRangeQuery, readRange, suggestionForComparison } from "../operators/suggestions.ts";
import { querySequence } from "../text/sequence.ts";
import { searchedWords } from "../tree/searched-words.ts";
import { foldedBetween, isInvisible, textBetween, withoutEnding } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { TermLexeme } from "./lex.ts";
import type { TermContext } from "./parser-state.ts";
import { didYouMean } from "./unknown-operator.ts";

/** An ignored symbol next to a letter or digit. */
const touchingSymbol =
  /(?<=[\p{L}\p{M}\p{N}])(?:[+#^~=<>|\\%]|\p{Sc})|(?:[+#^~=<>|\\%]|\p{Sc})(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])\?(?=[\p{L}\p{N}])/u;
const patternEnd = /\/[a-z]{0,4}$/;
const proximityOrBoost = /^([^~^]+)[~^]\d{0,4}(?:\.\d{1,4})?$/u;
const comparison = /^([a-z_]{2,32})(>=|=>|≥|<=|=<|≤|==?|>|<)([^\s<>=≤≥]+)$/i;
const range = /^\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}$/;

export function warnIgnoredSymbols(context: TermContext, text: string, span: QuerySpan): void {
  if (warnComparison(context, text, span)) return;
  if (text.startsWith("/") && patternEnd.test(text.slice(1))) {
    reportIgnored(context, text, span, "regular expressions are not supported");
    return;
  }
  const symbol = touchingSymbol.exec(text)?.[0];
  if (symbol === undefined) return;
  const base = proximityOrBoost.exec(text)?.[1];
  if (symbol === "|") reportAlternatives(context, text, span);
  else if (symbol === "?") reportQuestionMark(context, text, span);
  else if (base !== undefined)
    reportIgnored(context, text, span, "proximity (~) and boost (^) are not supported", base);
  else reportIgnored(context, text, span, `${symbol} is ignored`);
}

const trailingSymbols = /^[+#^~=<>|\\%]+/;

export function warnTrailingSymbols(
  context: TermContext,
  entity: string,
  suffix: string,
  span: QuerySpan,
): void {
  const symbols = trailingSymbols.exec(suffix)?.[0];
  if (symbols === undefined) return;
  context.report("sign_left_out", span, {
    message: `${truncate(entity + suffix)} is searched for as ${truncate(entity)}: ${symbols} is ignored`,
    hint: { lead: "write", queries: [entity], otherwise: "remove the symbol" },
  });
}

export function warnProximityOrBoost(
  report: TermContext["report"],
  text: string,
  span: QuerySpan,
  phrase: string,
): void {
  report("sign_left_out", span, {
    message: `${truncate(text)} is searched for as ${searchedWords(text) ?? "nothing"}: proximity (~) and boost (^) are not supported`,
    hint: { lead: "write", queries: [phrase], otherwise: "remove it" },
  });
}

function reportIgnored(
  context: TermContext,
  text: string,
  span: QuerySpan,
  reason: string,
  suggestion?: string,
): void {
  const words = searchedWords(text) ?? text;
  const searchText = words.includes(" ") ? `"${words}"` : words;
  context.report("sign_left_out", span, {
    message: `${truncate(text)} is searched for as ${truncate(searchText)}: ${reason}`,
    hint: {
      lead: "write",
      queries: [suggestion ?? searchText],
      otherwise: "use words, numbers, emoji, emoticons or a separate ?",
    },
  });
}

function reportQuestionMark(context: TermContext, text: string, span: QuerySpan): void {
  context.report("sign_left_out", span, {
    message: `${truncate(text)} is searched for as "${truncate(searchedWords(text) ?? text)}": the ? wildcard is not supported`,
    hint: "list the forms of the word instead, as in (run OR runs OR running)",
  });
}

function reportAlternatives(context: TermContext, text: string, span: QuerySpan): void {
  const words = text.split("|").filter((word) => word !== "");
  const alternatives = `(${words.join(" OR ")})`;
  context.report("sign_left_out", span, {
    message: `${truncate(text)} is searched for as "${truncate(searchedWords(text) ?? text)}": | is not OR`,
    hint: {
      lead: "write",
      queries: words.length > 1 ? [alternatives] : words,
      otherwise: "write OR between alternatives",
    },
  });
}

function warnComparison(context: TermContext, text: string, span: QuerySpan): boolean {
  const dates = range.test(text) ? readRange(text) : null;
  const [, name = "", sign = "", value = ""] = comparison.exec(text) ?? [];
  const suggestion =
    dates === null
      ? suggestionForComparison(name, sign, withoutEnding(value, ".,;!?"))
      : { queries: [dateRangeQuery(dates)], otherwise: null };
  if (suggestion === null || (dates === null && name === "")) return false;
  context.report("comparison", span, {
    message: `${truncate(text)} is not an operator, so its words are searched for as a phrase`,
    hint: didYouMean(suggestion),
  });
  return true;
}

/** Skips dashes, which look like minuses. Returns the offset after them. */
export function skipDashes(context: TermContext, lexeme: TermLexeme): number {
  const { folded } = context.source;
  let start = lexeme.start;
  let end = lexeme.start;
  for (; start < lexeme.end; start++) {
    const character = folded[start] ?? "";
    if (/^[‐‑‒–—―+-]$/u.test(character)) end = start + 1;
    else if (!isInvisible(character)) break;
  }
  if (end === lexeme.start) return lexeme.start;
  const remainder = textBetween(context.source, start, lexeme.end);
  if (querySequence(remainder).length === 0) return lexeme.start;
  const dash = textBetween(context.source, lexeme.start, end);
  context.report(
    "dash_is_not_minus",
    { offset: lexeme.start, length: end - lexeme.start },
    {
      message: `${truncate(dash)} is a dash, not a minus, and does not exclude a term`,
      hint: {
        lead: "write",
        queries: [`-${remainder}`],
        otherwise: "write a minus to exclude a term",
      },
    },
  );
  return start;
}

const leadingExclamation = /^!+([\p{L}\p{N}#@$_].*)$/su;

export function warnExclamation(context: TermContext, { start, end }: TermLexeme): void {
  if (context.source.folded[start] !== "!") return;
  const remainder = leadingExclamation.exec(foldedBetween(context.source, start, end))?.[1];
  if (remainder === undefined) return;
  context.report(
    "exclamation_is_not_minus",
    { offset: start, length: end - start },
    {
      message: "an exclamation mark does not exclude a term",
      hint: {
        lead: "write",
        queries: [context.isNegated ? remainder : `-${remainder}`],
        otherwise: "write a minus to exclude a term",
      },
    },
  );
}
