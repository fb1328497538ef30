import { shown } from "../operators/operand.ts";
import { querySequence } from "../text/sequence.ts";
import { foldedBetween, isInvisible, textBetween } from "../tree/source.ts";
import type { TermToken } from "./lex.ts";
import type { TermContext } from "./term-context.ts";

/** They look like minuses but are not. Returns the offset after them. */
export function skipDashes(context: TermContext, token: TermToken): number {
  const { folded } = context.source;
  let start = token.start;
  let end = token.start;
  for (; start < token.end; start++) {
    const character = folded[start] ?? "";
    if (/^[‐‑‒–—―+-]$/u.test(character)) end = start + 1;
    else if (!isInvisible(character)) break;
  }
  if (end === token.start) return token.start;
  const rest = textBetween(context.source, start, token.end);
  if (querySequence(rest).length === 0) return token.start;
  const dash = textBetween(context.source, token.start, end);
  context.report(
    "dash_is_not_minus",
    { offset: token.start, length: end - token.start },
    {
      message: `${shown(dash)} is a dash, not a minus, and does not exclude a term`,
      hint: {
        lead: "write",
        queries: [`-${rest}`],
        otherwise: "write a minus to exclude a term",
      },
    },
  );
  return start;
}

const exclaimed = /^!+([\p{L}\p{N}#@$_].*)$/su;

export function warnExclamation(context: TermContext, { start, end }: TermToken): void {
  if (context.source.folded[start] !== "!") return;
  const rest = exclaimed.exec(foldedBetween(context.source, start, end))?.[1];
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
