import { foldedBetween, textBetween } from "./characters.ts";
import type { TermToken } from "./lex.ts";
import { shown } from "./operand.ts";
import { isOperatorName } from "./operators.ts";
import { cannotStartTerm, type Reader, report, spanOf } from "./reader.ts";

/** A lower-case `or` between two terms, and a colon that a space parts from the name of an operator. */
export function warnAboutNeighbours(reader: Reader, token: TermToken): void {
  const { source, tokens, index } = reader;
  const before = tokens[index - 2];
  const after = tokens[index];
  const folded = foldedBetween(source, token.start, Math.min(token.end, token.start + 3));
  const standsBetween =
    (before?.kind === "term" || before?.kind === "phrase" || before?.kind === "close") &&
    after !== undefined &&
    !cannotStartTerm(after);
  if (folded.toLowerCase() === "or" && standsBetween && !token.isForced) {
    report(reader, "lower_case_or", spanOf(token), {
      message: `${textBetween(source, token.start, token.end)} is searched as a word`,
      hint: "write OR in capitals for alternatives",
    });
  }
  if (before?.kind !== "term" || !folded.startsWith(":")) return;
  const name = textBetween(source, before.start, before.end);
  if (!isOperatorName(name)) return;
  report(
    reader,
    "space_before_colon",
    { offset: before.start, length: token.end - before.start },
    {
      message: `${name} is searched as a word, as a space parts it from its colon`,
      hint: `leave out the space: ${name}:${shown(textBetween(source, token.start + 1, token.end) || "…")}`,
    },
  );
}
