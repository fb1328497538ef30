import { truncated } from "../operators/operand.ts";
import { querySequence } from "../text/sequence.ts";
import { foldedBetween, isInvisible, textBetween } from "../tree/source.ts";
import type { TermLexeme } from "./lex.ts";
import type { TermContext } from "./term-context.ts";

/** They look like minuses. Returns the offset after them. */
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
  const rest = textBetween(context.source, start, lexeme.end);
  if (querySequence(rest).length === 0) return lexeme.start;
  const dash = textBetween(context.source, lexeme.start, end);
  context.report(
    "dash_is_not_minus",
    { offset: lexeme.start, length: end - lexeme.start },
    {
      message: `${truncated(dash)} is a dash, not a minus, and does not exclude a term`,
      hint: {
        lead: "write",
        queries: [`-${rest}`],
        otherwise: "write a minus to exclude a term",
      },
    },
  );
  return start;
}

const leadingExclamation = /^!+([\p{L}\p{N}#@$_].*)$/su;

export function warnExclamation(context: TermContext, { start, end }: TermLexeme): void {
  if (context.source.folded[start] !== "!") return;
  const rest = leadingExclamation.exec(foldedBetween(context.source, start, end))?.[1];
  if (rest === undefined) return;
  context.report(
    "exclamation_is_not_minus",
    { offset: start, length: end - start },
    {
      message: "an exclamation mark does not exclude a term",
      hint: {
        lead: "write",
        queries: [context.isNegated ? rest : `-${rest}`],
        otherwise: "write a minus to exclude a term",
      },
    },
  );
}
