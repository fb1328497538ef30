import { operatorNamed, unavailableOperatorNamed } from "../operators/operators.ts";
import { findClosingQuote, foldedBetween, isInvisible, type Source } from "../tree/source.ts";

/** Matches parentheses in a single pass, for linear time. */
export type Scan = {
  source: Source;
  /** Maps each `(` to its `)`, if no white space or quotation mark is between them. */
  closingAt: ReadonlyMap<number, number>;
  lastBracket: number;
};

export function scanBrackets(source: Source): Scan {
  const { folded } = source;
  return { source, closingAt: matchParentheses(folded), lastBracket: folded.lastIndexOf("]") };
}

const longestName = 32;
const bracketedValue = /^([a-z_]+):\[/i;

/**
 * The end of a bracketed value with spaces, as other query languages allow (`point_radius:[…]`), or
 * else `end`.
 */
export function bracketsEnd(scan: Scan, start: number, end: number): number {
  const { folded } = scan.source;
  const head = foldedBetween(scan.source, start, Math.min(end, start + longestName));
  const name = bracketedValue.exec(head)?.[1];
  if (name === undefined || scan.lastBracket < end) return end;
  if (unavailableOperatorNamed(name) === null && operatorNamed(name) !== "geocode") return end;
  return Math.max(end, folded.indexOf("]", start) + 1);
}

const startsLikeUrl =
  /^(?:[a-z_]{1,32}:)?(?:https?:\/\/|www\.|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+\/)/i;
const longestHost = 300;

/** A URL may contain balanced parentheses. */
export function termEnd(scan: Scan, start: number): number {
  const { source, closingAt } = scan;
  const first = runEnd(source, start);
  if (source.folded[first] !== "(" || closingAt.get(first) === undefined) return first;
  const head = foldedBetween(source, start, Math.min(first, start + longestHost));
  if (!startsLikeUrl.test(head)) return first;
  let offset = first;
  for (let closed = closingAt.get(offset); closed !== undefined; closed = closingAt.get(offset)) {
    offset = runEnd(source, closed + 1);
  }
  return offset;
}

/** Excludes trailing invisible characters. */
function runEnd({ folded }: Source, start: number): number {
  let offset = start;
  while (offset < folded.length) {
    let visible = offset;
    while (isInvisible(folded[visible] ?? "")) visible++;
    const character = folded[visible] ?? " ";
    if (character === "(" || character === ")" || character === " ") break;
    if (findClosingQuote(character) !== null) break;
    offset = visible + 1;
  }
  return offset;
}

function matchParentheses(folded: readonly string[]): Map<number, number> {
  const closingAt = new Map<number, number>();
  let open: number[] = [];
  for (const [offset, character] of folded.entries()) {
    if (isSpace(character) || findClosingQuote(character) !== null) open = [];
    else if (character === "(") open.push(offset);
    else if (character === ")") {
      const start = open.pop();
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
