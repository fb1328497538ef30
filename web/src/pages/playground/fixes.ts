import { lex, parseQueryLeniently } from "@earshot/query";
import { type Diagnostic, readSource, type Source, textBetween } from "@earshot/query/tree";

export type Fix = { label: string; query: string };

/**
 * A fix must reduce the diagnostics, add no errors, and use only words of the query or the hint.
 * Null if only the author can decide.
 */
export function fixFor(query: string, diagnostic: Diagnostic, maxLength: number): Fix | null {
  const before = queryWarnings(query, maxLength);
  const isBetter = ({ changed, meant }: Candidate): boolean => {
    if (changed.trim() === "" || !hasOnlyQueryWords(changed, query, meant)) return false;
    const after = queryWarnings(changed, maxLength);
    const isRemoved = after.count(diagnostic.code) < before.count(diagnostic.code);
    // An uppercase OR may then need parentheses.
    const max = diagnostic.code === "lower_case_or" ? before.total : before.total - 1;
    return isRemoved && after.errors <= before.errors && after.total <= max;
  };
  const fix = candidates(query, diagnostic).find(isBetter);
  return fix === undefined ? null : { label: fix.label, query: fix.changed };
}

type Candidate = { label: string; changed: string; meant: string };

function queryWarnings(query: string, maxLength: number) {
  const { diagnostics } = parseQueryLeniently(query, { maxLength });
  return {
    total: diagnostics.length,
    errors: diagnostics.filter(({ severity }) => severity === "error").length,
    count: (code: string) => diagnostics.filter((diagnostic) => diagnostic.code === code).length,
  };
}

/** Also rejects duplicated words. */
function hasOnlyQueryWords(changed: string, query: string, meant: string): boolean {
  const [queryWords, meantWords] = [countWords(query), countWords(meant)];
  return countWords(changed)
    .entries()
    .every(
      ([word, times]) => times <= Math.max(queryWords.get(word) ?? 0, meantWords.get(word) ?? 0),
    );
}

function countWords(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return words;
}

type Replace = (from: number, to: number, replacement: string) => string;

function candidates(query: string, diagnostic: Diagnostic): Candidate[] {
  const { code, offset, length, hint = "" } = diagnostic;
  const source = readSource(query);
  const end = offset + length;
  const markedText = textBetween(source, offset, end);
  const replace = makeReplacer(source);
  const replaceMarked = (label: string, replacement: string): Candidate => ({
    label,
    changed: replace(offset, end, replacement),
    meant: replacement,
  });
  const insertAfter = (label: string, replacement: string): Candidate => ({
    label,
    changed: query.trimEnd() + replacement,
    meant: replacement,
  });
  switch (code) {
    case "or_binds_tighter":
      return [replaceMarked("Add parentheses", `(${markedText})`)];
    case "lower_case_or":
    case "lower_case_not":
      return [replaceMarked(`Use ${markedText.toUpperCase()}`, markedText.toUpperCase())];
    case "unclosed_group":
      return [insertAfter("Close the group", ")")];
    case "unclosed_quote":
      return [insertAfter("Close the quote", /^add (\S) /u.exec(hint)?.[1] ?? '"')];
    case "unopened_group":
    case "empty_group":
    case "missing_term":
      return [replaceMarked(`Remove ${shorten(markedText)}`, "")];
    case "stray_minus": {
      const spaced = { label: "Add a space before it", changed: replace(offset, offset, " ") };
      return [{ ...spaced, meant: "" }, replaceMarked("Remove the minus", "")];
    }
    default:
      if (/^remove it\b/.test(hint)) return [replaceMarked("Remove it", "")];
      return suggestionsIn(hint, markedText).flatMap((meant) =>
        readPositions(source, offset, end).map(([from, to]) => ({
          label: `Use ${shorten(meant)}`,
          changed: replace(from, to, meant),
          meant,
        })),
      );
  }
}

function makeReplacer(source: Source): Replace {
  return (from, to, replacement) => {
    const isApart = from === 0 || source.folded[from - 1] === " ";
    const isSpaceLeft = replacement === "" && isApart && source.folded[to] === " ";
    const following = textBetween(source, isSpaceLeft ? to + 1 : to, source.characters.length);
    return textBetween(source, 0, from) + replacement + following;
  };
}

/** The span itself, its term, or its term with a neighbour. */
function readPositions(source: Source, offset: number, end: number): [number, number][] {
  const { lexemes } = lex(source);
  const index = lexemes.findIndex((lexeme) => lexeme.end > offset);
  const current = lexemes[index];
  if (current === undefined) return [[offset, end]];
  const last = Math.max(current.end, end);
  const next = lexemes.find((lexeme) => lexeme.start >= last);
  const before = lexemes[index - 1];
  return [
    [offset, end],
    [current.start, last],
    ...(next === undefined ? [] : [[current.start, next.end] satisfies [number, number]]),
    ...(before === undefined ? [] : [[before.start, last] satisfies [number, number]]),
  ];
}

const suggestionLead = /^(?:did you mean|write|remove the space:|add a zone:) (.+)$/u;
/** Hints that are prose, not replacements. */
const prose = /^(?:the|it|at|a|one|terms|word|words)\b|\bas in\b/u;

function suggestionsIn(hint: string, original: string): string[] {
  const suggestions = suggestionLead.exec(hint)?.[1];
  if (suggestions === undefined || prose.test(suggestions)) return [];
  const suggestion = suggestions.replace(/ (?:to (?:confirm|search|find|exclude)|for|if) .*$/u, "");
  return suggestion === original || suggestion.includes("…") ? [] : [suggestion];
}

function shorten(text: string): string {
  return text.length > 32 ? `${text.slice(0, 31)}…` : text;
}
