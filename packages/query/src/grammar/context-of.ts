import type { Warning } from "../tree/diagnostics.ts";
import { foldedBetween, textBetween } from "../tree/source.ts";
import type { Token } from "./lex.ts";
import { type ParserState, report } from "./reader.ts";
import type { GroupedValues, TermContext } from "./term-context.ts";

/** `start`: offset of the first negation sign, else of the term. */
export type Negation = { isNegated: boolean; start: number };

export function contextOf(reader: ParserState, token: Token, negation: Negation): TermContext {
  const { source, tokens, index } = reader;
  const next = tokens[index];
  const isOperand = negation.isNegated || next?.kind === "or" || tokens[index - 2]?.kind === "or";
  const following = next?.kind === "term" ? foldedBetween(source, next.start, next.end) : "";
  return {
    source,
    ...negation,
    following,
    touchesGroup: next?.kind === "open" && next.start === token.end,
    groupedValues: groupedValues(reader, token.end),
    preceding: precedingTerm(reader),
    report: (code, span, warning) =>
      report(reader, code, span, isOperand ? withGroupedRewrites(warning) : warning),
  };
}

/** Groups rewrites of several terms, because they replace a negated term or an alternative. */
function withGroupedRewrites(warning: Warning): Warning {
  const { hint } = warning;
  if (hint === undefined || typeof hint === "string") return warning;
  const queries = hint.queries.map((query) => (/^[^"(]+\s/.test(query) ? `(${query})` : query));
  return { ...warning, hint: { ...hint, queries } };
}

function precedingTerm({ source, tokens, index }: ParserState): TermContext["preceding"] {
  const before = tokens[index - 2];
  if (before?.kind !== "term") return null;
  return { text: foldedBetween(source, before.start, before.end), start: before.start };
}

const maxGroupedValues = 8;

function groupedValues({ source, tokens, index }: ParserState, end: number): GroupedValues | null {
  const open = tokens[index];
  if (open?.kind !== "open" || open.start !== end) return null;
  const values: string[] = [];
  let areAlternatives = false;
  for (const token of tokens.slice(index + 1, index + 2 + 2 * maxGroupedValues)) {
    if (token.kind === "close") {
      return values.length > 0 ? { values, areAlternatives, end: token.end } : null;
    }
    if (token.kind === "or") areAlternatives = true;
    else if (token.kind === "term" || token.kind === "phrase")
      values.push(textBetween(source, token.start, token.end));
    else return null;
  }
  return null;
}
