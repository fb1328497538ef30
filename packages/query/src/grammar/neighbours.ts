import { truncated } from "../operators/operand.ts";
import { isOperatorName } from "../operators/operators.ts";
import { suggestionForComparison } from "../operators/suggestions.ts";
import { foldedBetween, textBetween } from "../tree/source.ts";
import { warnProximityOrBoost } from "./ignored-symbols.ts";
import type { Lexeme, TermLexeme } from "./lex.ts";
import { cannotStartTerm, lexemeSpan, type ParserState, report } from "./parser-state.ts";
import { didYouMean } from "./unknown-operator.ts";

/** True if the term must be dropped. */
export function warnAboutNeighbours(parser: ParserState, lexeme: TermLexeme): boolean {
  const { source, lexemes, index } = parser;
  const before = lexemes[index - 2];
  const after = lexemes[index];
  const folded = foldedBetween(source, lexeme.start, Math.min(lexeme.end, lexeme.start + 4));
  if (!lexeme.isForced) warnLowerCase(parser, lexeme, folded.toLowerCase());
  if (before?.kind === "phrase" && before.end === lexeme.start && /^[~^]\d/.test(folded)) {
    const text = textBetween(source, lexeme.start, lexeme.end);
    const phrase = textBetween(source, before.start, before.end);
    warnProximityOrBoost(
      (code, span, details) => report(parser, code, span, details),
      text,
      lexemeSpan(lexeme),
      phrase,
    );
  }
  if (before?.kind !== "term") return false;
  if (folded.startsWith(":")) warnSpaceBeforeColon(parser, before, lexeme);
  if (after?.kind !== "term" && after?.kind !== "phrase") return false;
  return warnComparison(parser, before, lexeme, after);
}

function warnLowerCase(parser: ParserState, lexeme: TermLexeme, word: string): void {
  const { source, lexemes, index } = parser;
  const before = lexemes[index - 2]?.kind;
  const after = lexemes[index];
  if (after === undefined || cannotStartTerm(after)) return;
  const isAfterTerm = before === "term" || before === "phrase" || before === "close";
  const text = textBetween(source, lexeme.start, lexeme.end);
  const message = `"${text}" is searched for as a word`;
  if (word === "or" && isAfterTerm) {
    const hint = "write OR in capitals for alternatives";
    report(parser, "lower_case_or", lexemeSpan(lexeme), { message, hint });
  }
  if (word === "and" && isAfterTerm) {
    const hint = "remove it: a space already means AND";
    report(parser, "lower_case_and", lexemeSpan(lexeme), { message, hint });
  }
  if (word === "not" && (isAfterTerm || before === "or" || before === "and")) {
    warnNot(parser, lexeme, after, message);
  }
}

function warnNot(parser: ParserState, lexeme: TermLexeme, after: Lexeme, message: string): void {
  const isComplete = after.kind === "term" || after.kind === "phrase";
  const excluded = textBetween(parser.source, after.start, after.end);
  const end = isComplete ? after.end : lexeme.end;
  report(
    parser,
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

function warnSpaceBeforeColon(parser: ParserState, before: TermLexeme, lexeme: TermLexeme): void {
  const { source, lexemes, index } = parser;
  const name = textBetween(source, before.start, before.end);
  if (!isOperatorName(name)) return;
  const after = lexemes[index];
  const isBare = lexeme.end === lexeme.start + 1;
  const hasValue = isBare && (after?.kind === "term" || after?.kind === "phrase");
  const start = hasValue ? after.start : lexeme.start + 1;
  const end = hasValue ? after.end : lexeme.end;
  report(
    parser,
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
  parser: ParserState,
  before: TermLexeme,
  lexeme: TermLexeme,
  after: Lexeme,
): boolean {
  const { source } = parser;
  const sign = foldedBetween(source, lexeme.start, Math.min(lexeme.end, lexeme.start + 3));
  if (!/^(?:>=|=>|≥|<=|=<|≤|==?|>|<)$/.test(sign) || before.end - before.start > longestName)
    return false;
  const name = foldedBetween(source, before.start, before.end);
  const value = foldedBetween(source, after.start, after.end);
  const suggestion = suggestionForComparison(name, sign, value);
  if (suggestion === null) return false;
  report(
    parser,
    "comparison",
    { offset: before.start, length: after.end - before.start },
    {
      message: `${name} ${sign} ${truncated(value)} is not an operator, so its words are searched for without the sign`,
      hint: didYouMean(suggestion),
    },
  );
  return true;
}
