import { operatorNamed, unavailableNamed } from "../operators/operators.ts";
import { closerOf, foldedBetween, isInvisible, type Source } from "../tree/source.ts";

/** Brackets are matched in one pass, for linear time. */
export type Scan = {
  source: Source;
  /** Offsets of `(` and its `)`, if no white space or quotation mark separates them. */
  closedAt: ReadonlyMap<number, number>;
  lastBracket: number;
};

export function scanBrackets(source: Source): Scan {
  const { folded } = source;
  return { source, closedAt: matchParentheses(folded), lastBracket: folded.lastIndexOf("]") };
}

const longestName = 32;
const bracketedValue = /^([a-z_]+):\[/i;

/** The end of a value with spaces, as in other query languages (`point_radius:[2.35 48.85 10km]`); else `end`. */
export function endOfBrackets(scan: Scan, start: number, end: number): number {
  const { folded } = scan.source;
  const head = foldedBetween(scan.source, start, Math.min(end, start + longestName));
  const name = bracketedValue.exec(head)?.[1];
  if (name === undefined || scan.lastBracket < end) return end;
  if (unavailableNamed(name) === null && operatorNamed(name) !== "geocode") return end;
  return Math.max(end, folded.indexOf("]", start) + 1);
}

const startsLikeUrl =
  /^(?:[a-z_]{1,32}:)?(?:https?:\/\/|www\.|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+\/)/i;
const longestHost = 300;

/** A URL may contain balanced parentheses. */
export function termEnd(scan: Scan, start: number): number {
  const { source, closedAt } = scan;
  const first = endOfRun(source, start);
  if (source.folded[first] !== "(" || closedAt.get(first) === undefined) return first;
  const head = foldedBetween(source, start, Math.min(first, start + longestHost));
  if (!startsLikeUrl.test(head)) return first;
  let at = first;
  for (let closed = closedAt.get(at); closed !== undefined; closed = closedAt.get(at)) {
    at = endOfRun(source, closed + 1);
  }
  return at;
}

/** Excludes invisible characters at the end. */
function endOfRun({ folded }: Source, start: number): number {
  let at = start;
  while (at < folded.length) {
    let visible = at;
    while (isInvisible(folded[visible] ?? "")) visible++;
    const character = folded[visible] ?? " ";
    if (character === "(" || character === ")" || character === " ") break;
    if (closerOf(character) !== null) break;
    at = visible + 1;
  }
  return at;
}

function matchParentheses(folded: readonly string[]): Map<number, number> {
  const closedAt = new Map<number, number>();
  let open: number[] = [];
  for (const [at, character] of folded.entries()) {
    if (isSpace(character) || closerOf(character) !== null) open = [];
    else if (character === "(") open.push(at);
    else if (character === ")") {
      const start = open.pop();
      if (start !== undefined) closedAt.set(start, at);
    }
  }
  return closedAt;
}

const noses: ReadonlySet<string> = new Set(["-", "'", "’", "^"]);
const closings: ReadonlySet<string> = new Set([".", ",", "!", "?", "…"]);

/** The parenthesis of `:)` is not a group's. */
export function emoticonEnd(scan: Scan, start: number, depth: number): number | null {
  const { folded } = scan.source;
  const eyes = folded[start] ?? "";
  if (eyes !== ":" && eyes !== ";" && eyes !== "=") return null;
  const mouth = noses.has(folded[start + 1] ?? "") ? start + 2 : start + 1;
  const shape = folded[mouth];
  if (shape !== "(" && shape !== ")") return null;
  let end = mouth;
  while (folded[end] === shape) end++;
  let last = end;
  while (closings.has(folded[last] ?? "")) last++;
  const next = folded[last] ?? " ";
  if (!isSpace(next) && next !== ")") return null;
  if (shape === "(") return last;
  const own = Math.max(mouth + 1, end - depth);
  return own === end ? last : own;
}

export function isSpace(folded: string): boolean {
  return folded === " " || isInvisible(folded);
}
