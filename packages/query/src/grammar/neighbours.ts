import { suggestionForComparison } from "../operators/foreign-names.ts";
import { truncated } from "../operators/operand.ts";
import { isOperatorName } from "../operators/operators.ts";
import { foldedBetween, textBetween } from "../tree/source.ts";
import { warnProximityOrBoost } from "./ignored-symbols.ts";
import type { Lexeme, TermLexeme } from "./lex.ts";
import { cannotStartTerm, type ParserState, report, spanOf } from "./reader.ts";
import { didYouMean } from "./unknown-operator.ts";

/** True if the term must be dropped. */
export function warnAboutNeighbours(reader: ParserState, lexeme: TermLexeme): boolean {
  const { source, lexemes, index } = reader;
  const before = lexemes[index - 2];
  const after = lexemes[index];
  const folded = foldedBetween(source, lexeme.start, Math.min(lexeme.end, lexeme.start + 4));
  if (!lexeme.isForced) warnLowerCase(reader, lexeme, folded.toLowerCase());
  if (before?.kind === "phrase" && before.end === lexeme.start && /^[~^]\d/.test(folded)) {
    const text = textBetween(source, lexeme.start, lexeme.end);
    const phrase = textBetween(source, before.start, before.end);
    warnProximityOrBoost(
      (code, span, details) => report(reader, code, span, details),
      text,
      spanOf(lexeme),
      phrase,
    );
  }
  if (before?.kind !== "term") return false;
  if (folded.startsWith(":")) warnSpaceBeforeColon(reader, before, lexeme);
  if (after?.kind !== "term" && after?.kind !== "phrase") return false;
  return warnComparison(reader, before, lexeme, after);
}

function warnLowerCase(reader: ParserState, lexeme: TermLexeme, word: string): void {
  const { source, lexemes, index } = reader;
  const before = lexemes[index - 2]?.kind;
  const after = lexemes[index];
  if (after === undefined || cannotStartTerm(after)) return;
  const isBehindTerm = before === "term" || before === "phrase" || before === "close";
  const text = textBetween(source, lexeme.start, lexeme.end);
  const message = `"${text}" is searched for as a word`;
  if (word === "or" && isBehindTerm) {
    const hint = "write OR in capitals for alternatives";
    report(reader, "lower_case_or", spanOf(lexeme), { message, hint });
  }
  if (word === "and" && isBehindTerm) {
    const hint = "remove it: a space already means AND";
    report(reader, "lower_case_and", spanOf(lexeme), { message, hint });
  }
  if (word === "not" && (isBehindTerm || before === "or" || before === "and")) {
    warnNot(reader, lexeme, after, message);
  }
}

function warnNot(reader: ParserState, lexeme: TermLexeme, after: Lexeme, message: string): void {
  const isComplete = after.kind === "term" || after.kind === "phrase";
  const excluded = textBetween(reader.source, after.start, after.end);
  const end = isComplete ? after.end : lexeme.end;
  report(
    reader,
    "lower_case_not",
    { offset: lexeme.start, length: end - lexeme.start },
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

function warnSpaceBeforeColon(reader: ParserState, before: TermLexeme, lexeme: TermLexeme): void {
  const { source, lexemes, index } = reader;
  const name = textBetween(source, before.start, before.end);
  if (!isOperatorName(name)) return;
  const after = lexemes[index];
  const isBare = lexeme.end === lexeme.start + 1;
  const hasValue = isBare && (after?.kind === "term" || after?.kind === "phrase");
  const start = hasValue ? after.start : lexeme.start + 1;
  const end = hasValue ? after.end : lexeme.end;
  report(
    reader,
    "space_before_colon",
    { offset: before.start, length: end - before.start },
    {
      message: `"${name}" is searched for as a word, because a space separates it from its colon`,
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
  before: TermLexeme,
  lexeme: TermLexeme,
  after: Lexeme,
): boolean {
  const { source } = reader;
  const sign = foldedBetween(source, lexeme.start, Math.min(lexeme.end, lexeme.start + 3));
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
      message: `${name} ${sign} ${truncated(value)} is not an operator, so its words are searched for without the sign`,
      hint: didYouMean(suggestion),
    },
  );
  return true;
}
