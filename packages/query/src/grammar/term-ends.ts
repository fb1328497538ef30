import { operatorNamed, unavailableOperatorNamed } from "../operators/operators.ts";
import { findClosingQuote, foldedBetween, isInvisible, type Source } from "../tree/source.ts";

/** Matches parentheses in a single pass, for linear time. */
export type Scan = {
  source: Source;
  /** Maps each `(` to its `)`, if no white space or quotation mark is between them. */
  closingAt: ReadonlyMap<number, number>;
  lastBracketOffset: number;
};

export function scanBrackets(source: Source): Scan {
  const { folded } = source;
  return {
    source,
    closingAt: matchParentheses(folded),
    lastBracketOffset: folded.lastIndexOf("]"),
  };
}

const maxNameLength = 32;
const bracketedValue = /^([a-z_]+):\[/i;

/**
 * The end of a bracketed value with spaces, as other query languages allow (`point_radius:[…]`), or
 * else `end`.
 */
export function bracketsEnd(scan: Scan, start: number, end: number): number {
  const { folded } = scan.source;
  const head = foldedBetween(scan.source, start, Math.min(end, start + maxNameLength));
  const name = bracketedValue.exec(head)?.[1];
  if (name === undefined || scan.lastBracketOffset < end) return end;
  if (unavailableOperatorNamed(name) === null && operatorNamed(name) !== "geocode") return end;
  return Math.max(end, folded.indexOf("]", start) + 1);
}

const startsLikeUrl =
  /^(?:[a-z_]{1,32}:)?(?:https?:\/\/|www\.|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+\/)/i;
const maxHostLength = 300;

/** A URL may contain balanced parentheses. */
export function termEnd(scan: Scan, start: number): number {
  const { source, closingAt } = scan;
  const firstEnd = runEnd(source, start);
  if (source.folded[firstEnd] !== "(" || closingAt.get(firstEnd) === undefined) return firstEnd;
  const head = foldedBetween(source, start, Math.min(firstEnd, start + maxHostLength));
  if (!startsLikeUrl.test(head)) return firstEnd;
  let offset = firstEnd;
  for (
    let closingOffset = closingAt.get(offset);
    closingOffset !== undefined;
    closingOffset = closingAt.get(offset)
  ) {
    offset = runEnd(source, closingOffset + 1);
  }
  return offset;
}

/** Excludes trailing invisible characters. */
function runEnd({ folded }: Source, start: number): number {
  let offset = start;
  while (offset < folded.length) {
    let visibleOffset = offset;
    while (isInvisible(folded[visibleOffset] ?? "")) visibleOffset++;
    const character = folded[visibleOffset] ?? " ";
    if (character === "(" || character === ")" || character === " ") break;
    if (findClosingQuote(character) !== null) break;
    offset = visibleOffset + 1;
  }
  return offset;
}

function matchParentheses(folded: readonly string[]): Map<number, number> {
  const closingAt = new Map<number, number>();
  let openOffsets: number[] = [];
  for (const [offset, character] of folded.entries()) {
    if (isSpace(character) || findClosingQuote(character) !== null) openOffsets = [];
    else if (character === "(") openOffsets.push(offset);
    else if (character === ")") {
      const start = openOffsets.pop();
      if (start !== undefined) closingAt.set(start, offset);
    }
  }
  return closingAt;
}

const noses: ReadonlySet<string> = new Set(["-", "'", "’", "^"]);
const trailingPunctuation: ReadonlySet<string> = new Set([".", ",", "!", "?", "…"]);

/** The `)` in `:)` does not close a group. Null if there is no emoticon. */
export function emoticonEnd(scan: Scan, start: number, depth: number): number | null {
  const { folded } = scan.source;
  const eyes = folded[start] ?? "";
  if (eyes !== ":" && eyes !== ";" && eyes !== "=") return null;
  const mouthAt = noses.has(folded[start + 1] ?? "") ? start + 2 : start + 1;
  const mouth = folded[mouthAt];
  if (mouth !== "(" && mouth !== ")") return null;
  let end = mouthAt;
  while (folded[end] === mouth) end++;
  let endWithPunctuation = end;
  while (trailingPunctuation.has(folded[endWithPunctuation] ?? "")) endWithPunctuation++;
  const next = folded[endWithPunctuation] ?? " ";
  if (!isSpace(next) && next !== ")") return null;
  if (mouth === "(") return endWithPunctuation;
  const endWithoutGroups = Math.max(mouthAt + 1, end - depth);
  return endWithoutGroups === end ? endWithPunctuation : endWithoutGroups;
}

export function isSpace(folded: string): boolean {
  return folded === " " || isInvisible(folded);
}
