import { truncate } from "../operators/operand.ts";
import { isOperatorName } from "../operators/operators.ts";
import { suggestionForComparison } from "../operators/suggestions.ts";
import { foldedBetween, textBetween } from "../tree/source.ts";
import { warnProximityOrBoost } from "./ignored-symbols.ts";
import type { Lexeme, TermLexeme } from "./lex.ts";
import { cannotStartTerm, lexemeSpan, type ParserState, report } from "./parser-state.ts";
import { didYouMean } from "./unknown-operator.ts";

/** Returns true if `lexeme` is a comparison sign, which must be dropped. */
export function warnAboutNeighbours(parser: ParserState, lexeme: TermLexeme): boolean {
  const { source, lexemes, index } = parser;
  const previous = lexemes[index - 2];
  const next = lexemes[index];
  const foldedPrefix = foldedBetween(source, lexeme.start, Math.min(lexeme.end, lexeme.start + 4));
  if (!lexeme.isForced) warnLowerCase(parser, lexeme, foldedPrefix.toLowerCase());
  if (
    previous?.kind === "phrase" &&
    previous.end === lexeme.start &&
    /^[~^]\d/.test(foldedPrefix)
  ) {
    const text = textBetween(source, lexeme.start, lexeme.end);
    const phrase = textBetween(source, previous.start, previous.end);
    warnProximityOrBoost(
      (code, span, details) => report(parser, code, span, details),
      text,
      lexemeSpan(lexeme),
      phrase,
    );
  }
  if (previous?.kind !== "term") return false;
  if (foldedPrefix.startsWith(":")) warnSpaceBeforeColon(parser, previous, lexeme);
  if (next?.kind !== "term" && next?.kind !== "phrase") return false;
  return warnComparison(parser, previous, lexeme, next);
}

function warnLowerCase(parser: ParserState, lexeme: TermLexeme, word: string): void {
  const { source, lexemes, index } = parser;
  const previousKind = lexemes[index - 2]?.kind;
  const next = lexemes[index];
  if (next === undefined || cannotStartTerm(next)) return;
  const isAfterTerm =
    previousKind === "term" || previousKind === "phrase" || previousKind === "close";
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
  if (word === "not" && (isAfterTerm || previousKind === "or" || previousKind === "and")) {
    warnNot(parser, lexeme, next, message);
  }
}

function warnNot(parser: ParserState, lexeme: TermLexeme, next: Lexeme, message: string): void {
  const isSingleTerm = next.kind === "term" || next.kind === "phrase";
  const excludedText = textBetween(parser.source, next.start, next.end);
  const end = isSingleTerm ? next.end : lexeme.end;
  report(
    parser,
    "lower_case_not",
    { offset: lexeme.start, length: end - lexeme.start },
    {
      message,
      hint: {
        lead: "write",
        queries: isSingleTerm ? [`-${excludedText}`] : [],
        otherwise: "write NOT in capitals to exclude the next term",
      },
    },
  );
}

function warnSpaceBeforeColon(parser: ParserState, previous: TermLexeme, lexeme: TermLexeme): void {
  const { source, lexemes, index } = parser;
  const name = textBetween(source, previous.start, previous.end);
  if (!isOperatorName(name)) return;
  const next = lexemes[index];
  const isBare = lexeme.end === lexeme.start + 1;
  const hasValue = isBare && (next?.kind === "term" || next?.kind === "phrase");
  const start = hasValue ? next.start : lexeme.start + 1;
  const end = hasValue ? next.end : lexeme.end;
  report(
    parser,
    "space_before_colon",
    { offset: previous.start, length: end - previous.start },
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

const maxNameLength = 32;

function warnComparison(
  parser: ParserState,
  previous: TermLexeme,
  lexeme: TermLexeme,
  next: Lexeme,
): boolean {
  const { source } = parser;
  const sign = foldedBetween(source, lexeme.start, Math.min(lexeme.end, lexeme.start + 3));
  if (!/^(?:>=|=>|≥|<=|=<|≤|==?|>|<)$/.test(sign) || previous.end - previous.start > maxNameLength)
    return false;
  const name = foldedBetween(source, previous.start, previous.end);
  const value = foldedBetween(source, next.start, next.end);
  const suggestion = suggestionForComparison(name, sign, value);
  if (suggestion === null) return false;
  report(
    parser,
    "comparison",
    { offset: previous.start, length: next.end - previous.start },
    {
      message: `${name} ${sign} ${truncate(value)} is not an operator, so its words are searched for without the sign`,
      hint: didYouMean(suggestion),
    },
  );
  return true;
}
