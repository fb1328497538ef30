import { type DraftDiagnostic, makeDiagnostic } from "../tree/diagnostics.ts";
import { type Source, textBetween } from "../tree/source.ts";
import type { TermToken, Token } from "./lex.ts";

export type Repaired = { tokens: Token[]; warnings: DraftDiagnostic[] };

const closingEmoticon = /^[:;=]['’^-]?\)[.,!?…]*$/;
const longestEmoticon = 8;

/** `(launch :)`: an emoticon also closes its group if nothing else would. */
export function shareParentheses(source: Source, tokens: readonly Token[]): Repaired {
  const closersAfter = unmatchedClosers(tokens);
  const repaired: Token[] = [];
  const warnings: DraftDiagnostic[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    repaired.push(token);
    if (token.kind === "open") depth++;
    if (token.kind === "close") depth = Math.max(0, depth - 1);
    const isShort = token.kind === "term" && token.end - token.start <= longestEmoticon;
    if (!isShort || (closersAfter[index + 1] ?? 0) >= depth) continue;
    const face = textBetween(source, token.start, token.end);
    if (!closingEmoticon.test(face.normalize("NFKC"))) continue;
    depth--;
    repaired.push({ kind: "close", start: token.end, end: token.end });
    const span = { offset: token.start, length: token.end - token.start };
    warnings.push(
      makeDiagnostic("shared_parenthesis", span, {
        message: `${face} is parsed as an emoticon whose parenthesis also closes the group`,
        hint: `write ${face}) to confirm, or put a space before the ) if it only closes the group`,
      }),
    );
  }
  return { tokens: repaired, warnings };
}

/** For each token, how many parentheses from it on close an earlier group. */
function unmatchedClosers(tokens: readonly Token[]): number[] {
  const counts = new Array<number>(tokens.length + 1).fill(0);
  for (let index = tokens.length - 1; index >= 0; index--) {
    const after = counts[index + 1] ?? 0;
    const kind = tokens[index]?.kind;
    counts[index] = kind === "close" ? after + 1 : kind === "open" ? Math.max(0, after - 1) : after;
  }
  return counts;
}

const single: ReadonlySet<string> = new Set(["'", "‘", "’", "‚"]);

/** `'New York'`: single quotes are apostrophes and do not make a phrase. */
export function warnSingleQuotes(source: Source, tokens: readonly Token[]): DraftDiagnostic[] {
  const warnings: DraftDiagnostic[] = [];
  let first: TermToken | null = null;
  for (const token of tokens) {
    if (token.kind === "open" || token.kind === "close" || token.kind === "phrase") first = null;
    if (token.kind !== "term") continue;
    if (first !== null && single.has(source.folded[token.end - 1] ?? "")) {
      const words = textBetween(source, first.start + 1, token.end - 1);
      const span = { offset: first.start, length: token.end - first.start };
      warnings.push(
        makeDiagnostic("single_quotes", span, {
          message: "single quotes do not make a phrase: each word is searched separately",
          hint: `write "${words.length > 60 ? "…" : words}" for these words next to each other`,
        }),
      );
      first = null;
    } else if (opensQuotation(source, token)) {
      first = token;
    }
  }
  return warnings;
}

function opensQuotation({ folded }: Source, { start, end }: TermToken): boolean {
  return single.has(folded[start] ?? "") && end - start > 1 && !single.has(folded[end - 1] ?? "");
}
