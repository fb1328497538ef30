import { type DraftDiagnostic, makeDiagnostic } from "../tree/diagnostics.ts";
import { type Source, textBetween } from "../tree/source.ts";
import type { Lexeme, TermLexeme } from "./lex.ts";

export type RepairedLexemes = { lexemes: Lexeme[]; warnings: DraftDiagnostic[] };

const closingEmoticon = /^[:;=]['’^-]?\)[.,!?…]*$/;
const longestEmoticon = 8;

/** `(launch :)`: an emoticon also closes its group if nothing else would. */
export function closeGroupsAtEmoticons(
  source: Source,
  lexemes: readonly Lexeme[],
): RepairedLexemes {
  const closersAfter = unmatchedClosers(lexemes);
  const repaired: Lexeme[] = [];
  const warnings: DraftDiagnostic[] = [];
  let depth = 0;
  for (const [index, lexeme] of lexemes.entries()) {
    repaired.push(lexeme);
    if (lexeme.kind === "open") depth++;
    if (lexeme.kind === "close") depth = Math.max(0, depth - 1);
    const isShort = lexeme.kind === "term" && lexeme.end - lexeme.start <= longestEmoticon;
    if (!isShort || (closersAfter[index + 1] ?? 0) >= depth) continue;
    const emoticon = textBetween(source, lexeme.start, lexeme.end);
    if (!closingEmoticon.test(emoticon.normalize("NFKC"))) continue;
    depth--;
    repaired.push({ kind: "close", start: lexeme.end, end: lexeme.end });
    const span = { offset: lexeme.start, length: lexeme.end - lexeme.start };
    warnings.push(
      makeDiagnostic("shared_parenthesis", span, {
        message: `${emoticon} is parsed as an emoticon whose parenthesis also closes the group`,
        hint: `write ${emoticon}) to confirm, or put a space before the ) if it only closes the group`,
      }),
    );
  }
  return { lexemes: repaired, warnings };
}

/** How many parentheses from each lexeme on close a group opened earlier. */
function unmatchedClosers(lexemes: readonly Lexeme[]): number[] {
  const counts = new Array<number>(lexemes.length + 1).fill(0);
  for (let index = lexemes.length - 1; index >= 0; index--) {
    const after = counts[index + 1] ?? 0;
    const kind = lexemes[index]?.kind;
    counts[index] = kind === "close" ? after + 1 : kind === "open" ? Math.max(0, after - 1) : after;
  }
  return counts;
}

const singleQuotes: ReadonlySet<string> = new Set(["'", "‘", "’", "‚"]);

/** `'New York'`: single quotes are apostrophes and make no phrase. */
export function warnSingleQuotes(source: Source, lexemes: readonly Lexeme[]): DraftDiagnostic[] {
  const warnings: DraftDiagnostic[] = [];
  let first: TermLexeme | null = null;
  for (const lexeme of lexemes) {
    if (lexeme.kind === "open" || lexeme.kind === "close" || lexeme.kind === "phrase") first = null;
    if (lexeme.kind !== "term") continue;
    if (first !== null && singleQuotes.has(source.folded[lexeme.end - 1] ?? "")) {
      const words = textBetween(source, first.start + 1, lexeme.end - 1);
      const span = { offset: first.start, length: lexeme.end - first.start };
      warnings.push(
        makeDiagnostic("single_quotes", span, {
          message: "single quotes do not make a phrase: each word is searched for separately",
          hint: `write "${words.length > 60 ? "…" : words}" for these words next to each other`,
        }),
      );
      first = null;
    } else if (opensQuotation(source, lexeme)) {
      first = lexeme;
    }
  }
  return warnings;
}

function opensQuotation({ folded }: Source, { start, end }: TermLexeme): boolean {
  return (
    singleQuotes.has(folded[start] ?? "") &&
    end - start > 1 &&
    !singleQuotes.has(folded[end - 1] ?? "")
  );
}
