import { suggestionForComparison } from "../operators/foreign-names.ts";
import { shown } from "../operators/operand.ts";
import { queryOfDates, readRange } from "../operators/suggested-range.ts";
import { searchedWords } from "../tree/searched-words.ts";
import { withoutEnding } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { TermContext } from "./term-context.ts";
import { didYouMean } from "./unknown-operator.ts";

/** Have a meaning in other query languages. */
const touchingSign =
  /(?<=[\p{L}\p{M}\p{N}])(?:[+#^~=<>|\\%]|\p{Sc})|(?:[+#^~=<>|\\%]|\p{Sc})(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])\?(?=[\p{L}\p{N}])/u;
const endOfPattern = /\/[a-z]{0,4}$/;
const boost = /^([^~^]+)[~^]\d{0,4}(?:\.\d{1,4})?$/u;
const comparison = /^([a-z_]{2,32})(>=|=>|≥|<=|=<|≤|==?|>|<)([^\s<>=≤≥]+)$/i;
const range = /^\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2}$/;

export function warnLeftOutSigns(context: TermContext, text: string, span: QuerySpan): void {
  if (warnComparison(context, text, span)) return;
  if (text.startsWith("/") && endOfPattern.test(text.slice(1))) {
    reportLeftOut(context, text, span, "regular expressions are not supported");
    return;
  }
  const sign = touchingSign.exec(text)?.[0];
  if (sign === undefined) return;
  const base = boost.exec(text)?.[1];
  if (sign === "|") reportAlternatives(context, text, span);
  else if (sign === "?") reportQuestionMark(context, text, span);
  else if (base !== undefined)
    reportLeftOut(context, text, span, "proximity (~) and boost (^) are not supported", base);
  else reportLeftOut(context, text, span, `${sign} is not searched`);
}

const signsBehind = /^[+#^~=<>|\\%]+/;

export function warnSignsBehind(
  context: TermContext,
  entity: string,
  behind: string,
  span: QuerySpan,
): void {
  const signs = signsBehind.exec(behind)?.[0];
  if (signs === undefined) return;
  context.report("sign_left_out", span, {
    message: `${shown(entity + behind)} is searched as ${shown(entity)}: ${signs} is not searched`,
    hint: { lead: "write", queries: [entity], otherwise: "remove the sign" },
  });
}

export function warnWeight(
  report: TermContext["report"],
  text: string,
  span: QuerySpan,
  phrase: string,
): void {
  report("sign_left_out", span, {
    message: `${shown(text)} is searched as ${searchedWords(text) ?? "nothing"}: proximity (~) and boost (^) are not supported`,
    hint: { lead: "write", queries: [phrase], otherwise: "remove it" },
  });
}

function reportLeftOut(
  context: TermContext,
  text: string,
  span: QuerySpan,
  reason: string,
  suggestion?: string,
): void {
  const words = searchedWords(text) ?? text;
  const plain = words.includes(" ") ? `"${words}"` : words;
  context.report("sign_left_out", span, {
    message: `${shown(text)} is searched as ${shown(plain)}: ${reason}`,
    hint: {
      lead: "write",
      queries: [suggestion ?? plain],
      otherwise: "use words, numbers, emoji, emoticons or a lone ?",
    },
  });
}

function reportQuestionMark(context: TermContext, text: string, span: QuerySpan): void {
  context.report("sign_left_out", span, {
    message: `${shown(text)} is searched as "${shown(searchedWords(text) ?? text)}": the ? wildcard is not supported`,
    hint: "write the words out, as in (run OR runs OR running)",
  });
}

function reportAlternatives(context: TermContext, text: string, span: QuerySpan): void {
  const words = text.split("|").filter((word) => word !== "");
  const alternatives = `(${words.join(" OR ")})`;
  context.report("sign_left_out", span, {
    message: `${shown(text)} is searched as "${shown(searchedWords(text) ?? text)}": | is not OR`,
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
      : { queries: [queryOfDates(dates)], otherwise: null };
  if (suggestion === null || (dates === null && name === "")) return false;
  context.report("comparison", span, {
    message: `${shown(text)} is not an operator, so its words are searched as a phrase`,
    hint: didYouMean(suggestion),
  });
  return true;
}
