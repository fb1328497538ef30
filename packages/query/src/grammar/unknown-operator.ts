import { truncate } from "../operators/operand.ts";
import { likelyOperator } from "../operators/operators.ts";
import { type Suggestion, suggestionForName } from "../operators/suggestions.ts";
import type { Rewrites } from "../tree/diagnostics.ts";
import { searchedWords } from "../tree/searched-words.ts";
import { textBetween } from "../tree/source.ts";
import type { QuerySpan } from "../tree/tree.ts";
import type { TermContext } from "./parser-state.ts";

const quoteHint = "put it in quotes if you mean the phrase";

export function warnUnknownOperator(
  context: TermContext,
  name: string,
  value: string,
  span: QuerySpan,
): void {
  if (/^\d{1,2}$/.test(name) && /^\d\d/.test(value)) {
    warnTimeOfDay(context, `${name}:${value}`, span);
    return;
  }
  const bracketedValue = untilClosingBracket(context, value, span);
  const suggestion = suggestionForName(name, bracketedValue.value) ?? nearMiss(name, value);
  context.report("unknown_operator", bracketedValue.span, {
    message: `${truncate(name)}: is not an operator, so its words are searched for as a phrase`,
    hint: didYouMean(suggestion),
  });
}

export function didYouMean(suggestion: Suggestion): Rewrites {
  return {
    lead: "did you mean",
    queries: suggestion.queries,
    otherwise: suggestion.otherwise ?? quoteHint,
  };
}

function nearMiss(name: string, value: string): Suggestion {
  const likelyName = likelyOperator(name);
  return { queries: likelyName === null ? [] : [`${likelyName}:${value}`], otherwise: null };
}

const maxBracketLength = 64;

/** Completes `[5 TO 9]` from its first word. */
function untilClosingBracket(
  { source }: TermContext,
  value: string,
  span: QuerySpan,
): { value: string; span: QuerySpan } {
  const end = span.offset + span.length;
  const lookahead = textBetween(source, end, end + maxBracketLength);
  const remainder = /^[[{]/.test(value)
    ? /^\s+TO\s+[^\s\]}]+[\]}]/i.exec(lookahead)?.[0]
    : undefined;
  if (remainder === undefined) return { value, span };
  const length = span.length + Array.from(remainder).length;
  return { value: value + remainder, span: { offset: span.offset, length } };
}

const dateBefore = /^((?:since|until):\d{4}-\d{2}-\d{2})$/i;

/** `12:30` is a phrase, but probably a time if it follows a date. */
function warnTimeOfDay(context: TermContext, text: string, span: QuerySpan): void {
  const { previousTerm } = context;
  const date = dateBefore.exec(previousTerm?.text ?? "")?.[1];
  const time = clockTime(text);
  const words = searchedWords(text) ?? text;
  if (date === undefined || time === null || previousTerm === null) {
    context.report("unknown_operator", span, {
      message: `${truncate(text)} is searched for as the phrase "${truncate(words)}"`,
      hint: `write "${truncate(text)}" to confirm`,
    });
    return;
  }
  const start = previousTerm.start;
  context.report(
    "unknown_operator",
    { offset: start, length: span.offset + span.length - start },
    {
      message: `${truncate(text)} is searched for as the phrase "${truncate(words)}", because a space separates it from its date`,
      hint: {
        lead: "did you mean",
        queries: [`${date}_${time}_UTC`],
        otherwise: quoteHint,
      },
    },
  );
}

function clockTime(text: string): string | null {
  const [, hour, minute, second = "00", half = ""] =
    /^(\d{1,2}):(\d{2})(?::(\d{2}))?(am|pm)?[.,;!?]*$/i.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return null;
  const isAfternoon = half.toLowerCase() === "pm";
  const hours = half === "" ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  return `${String(hours).padStart(2, "0")}:${minute}:${second}`;
}
