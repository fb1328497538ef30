import { suggestionForComparison } from "../operators/foreign-names.ts";
import { shown } from "../operators/operand.ts";
import { isOperatorName } from "../operators/operators.ts";
import { foldedBetween, textBetween } from "../tree/source.ts";
import { warnProximityOrBoost } from "./ignored-symbols.ts";
import type { TermToken, Token } from "./lex.ts";
import { cannotStartTerm, type ParserState, report, spanOf } from "./reader.ts";
import { didYouMean } from "./unknown-operator.ts";

/** True if the term must be dropped. */
export function warnAboutNeighbours(reader: ParserState, token: TermToken): boolean {
  const { source, tokens, index } = reader;
  const before = tokens[index - 2];
  const after = tokens[index];
  const folded = foldedBetween(source, token.start, Math.min(token.end, token.start + 4));
  if (!token.isForced) warnLowerCase(reader, token, folded.toLowerCase());
  if (before?.kind === "phrase" && before.end === token.start && /^[~^]\d/.test(folded)) {
    const text = textBetween(source, token.start, token.end);
    const phrase = textBetween(source, before.start, before.end);
    warnProximityOrBoost(
      (code, span, warning) => report(reader, code, span, warning),
      text,
      spanOf(token),
      phrase,
    );
  }
  if (before?.kind !== "term") return false;
  if (folded.startsWith(":")) warnSpaceBeforeColon(reader, before, token);
  if (after?.kind !== "term" && after?.kind !== "phrase") return false;
  return warnComparison(reader, before, token, after);
}

function warnLowerCase(reader: ParserState, token: TermToken, word: string): void {
  const { source, tokens, index } = reader;
  const before = tokens[index - 2]?.kind;
  const after = tokens[index];
  if (after === undefined || cannotStartTerm(after)) return;
  const isBehindTerm = before === "term" || before === "phrase" || before === "close";
  const written = textBetween(source, token.start, token.end);
  const message = `${written} is searched as a word`;
  if (word === "or" && isBehindTerm) {
    const hint = "write OR in capitals for alternatives";
    report(reader, "lower_case_or", spanOf(token), { message, hint });
  }
  if (word === "and" && isBehindTerm) {
    const hint = "remove it: a space means and";
    report(reader, "lower_case_and", spanOf(token), { message, hint });
  }
  if (word === "not" && (isBehindTerm || before === "or" || before === "and")) {
    warnNot(reader, token, after, message);
  }
}

function warnNot(reader: ParserState, token: TermToken, after: Token, message: string): void {
  const isComplete = after.kind === "term" || after.kind === "phrase";
  const excluded = textBetween(reader.source, after.start, after.end);
  const end = isComplete ? after.end : token.end;
  report(
    reader,
    "lower_case_not",
    { offset: token.start, length: end - token.start },
    {
      message,
      hint: {
        lead: "write",
        queries: isComplete ? [`-${excluded}`] : [],
        otherwise: "write NOT in capitals to exclude the next term",
      },
    },
  );
}

function warnSpaceBeforeColon(reader: ParserState, before: TermToken, token: TermToken): void {
  const { source, tokens, index } = reader;
  const name = textBetween(source, before.start, before.end);
  if (!isOperatorName(name)) return;
  const after = tokens[index];
  const isBare = token.end === token.start + 1;
  const hasValue = isBare && (after?.kind === "term" || after?.kind === "phrase");
  const start = hasValue ? after.start : token.start + 1;
  const end = hasValue ? after.end : token.end;
  report(
    reader,
    "space_before_colon",
    { offset: before.start, length: end - before.start },
    {
      message: `${name} is searched as a word, because a space separates it from its colon`,
      hint: {
        lead: "remove the space:",
        queries: [`${name}:${textBetween(source, start, end)}`],
        otherwise: `write ${name}: and its value without spaces`,
      },
    },
  );
}

const longestName = 32;

function warnComparison(
  reader: ParserState,
  before: TermToken,
  token: TermToken,
  after: Token,
): boolean {
  const { source } = reader;
  const sign = foldedBetween(source, token.start, Math.min(token.end, token.start + 3));
  if (!/^(?:>=|=>|≥|<=|=<|≤|==?|>|<)$/.test(sign) || before.end - before.start > longestName)
    return false;
  const name = foldedBetween(source, before.start, before.end);
  const value = foldedBetween(source, after.start, after.end);
  const suggestion = suggestionForComparison(name, sign, value);
  if (suggestion === null) return false;
  report(
    reader,
    "comparison",
    { offset: before.start, length: after.end - before.start },
    {
      message: `${name} ${sign} ${shown(value)} is not an operator, so its words are searched without the sign`,
      hint: didYouMean(suggestion),
    },
  );
  return true;
}
