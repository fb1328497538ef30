import {
  codePointClass,
  findCashtags,
  findHashtags,
  findMentions,
  foldHandle,
  foldTag,
  mark,
  pairToken,
  phraseSequence,
  querySequence,
  type SequenceElement,
  spaceless,
  splitIntoRuns,
  word,
} from "@earshot/query/text";
import type { Platform, QueryLeaf, QueryNode } from "@earshot/query/tree";
import { once } from "../../../../src/lib/once.ts";

export type MarkedPart = { text: string; start: number; isMatch: boolean };

/** The positive terms of a query. */
export type HighlightTerms = {
  sequences: readonly (readonly SequenceElement[])[];
  tags: ReadonlySet<string>;
  users: ReadonlySet<string>;
  symbols: ReadonlySet<string>;
};

export function highlightTerms(tree: QueryNode | null): HighlightTerms {
  const leaves = tree === null ? [] : positiveLeaves(tree);
  const sequences = leaves.flatMap((leaf) => {
    if (leaf.kind === "word") return [querySequence(leaf.text)];
    return leaf.kind === "phrase" ? [phraseSequence(leaf.text)] : [];
  });
  return {
    sequences: sequences.filter((sequence) => sequence.length > 0),
    tags: new Set(leaves.flatMap((leaf) => (leaf.kind === "hashtag" ? [leaf.tag] : []))),
    users: new Set(leaves.flatMap((leaf) => (leaf.kind === "mention" ? [leaf.user] : []))),
    symbols: new Set(
      leaves.flatMap((leaf) => (leaf.kind === "cashtag" ? [leaf.symbol.toLowerCase()] : [])),
    ),
  };
}

function positiveLeaves(node: QueryNode): QueryLeaf[] {
  if (node.kind === "not") return [];
  if (node.kind === "and" || node.kind === "or") return node.children.flatMap(positiveLeaves);
  return [node];
}

type Span = { start: number; end: number };

/** The parts add up to the text. */
export function markMatches(
  text: string,
  terms: HighlightTerms,
  platform: Platform | null,
): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let offset = 0;
  for (const { start, end } of mergeSpans([
    ...entitySpans(text, terms, platform),
    ...wordSpans(text, terms),
  ])) {
    if (start > offset)
      parts.push({ text: text.slice(offset, start), start: offset, isMatch: false });
    parts.push({ text: text.slice(start, end), start, isMatch: true });
    offset = end;
  }
  if (offset < text.length) parts.push({ text: text.slice(offset), start: offset, isMatch: false });
  return parts;
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const disjoint: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = disjoint.at(-1);
    if (last === undefined || span.start >= last.end) disjoint.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return disjoint;
}

function entitySpans(
  text: string,
  { tags, users, symbols }: HighlightTerms,
  platform: Platform | null,
): Span[] {
  return [
    ...(tags.size === 0 ? [] : findHashtags(text).filter(({ value }) => tags.has(foldTag(value)))),
    ...(users.size === 0
      ? []
      : findMentions(text, { dottedHandles: platform !== "x" }).filter(({ value }) =>
          users.has(foldHandle(value)),
        )),
    ...(symbols.size === 0
      ? []
      : findCashtags(text).filter(({ value }) => symbols.has(value.toLowerCase()))),
  ];
}

type PositionedToken = Span & { token: string };

function wordSpans(text: string, { sequences }: HighlightTerms): Span[] {
  if (sequences.length === 0) return [];
  const tokens = positionedTokens(text);
  return sequences.flatMap((sequence) =>
    tokens.flatMap(({ start }, index) => {
      const isHere = sequence.every((element, offset) =>
        tokenMatches(element, tokens[index + offset]?.token),
      );
      const last = tokens[index + sequence.length - 1];
      return isHere && last !== undefined ? [{ start, end: last.end }] : [];
    }),
  );
}

function tokenMatches(element: SequenceElement, token: string | undefined): boolean {
  if (token === undefined) return false;
  if (element.kind === "token") return element.token === token;
  return element.kind === "any" || token.startsWith(element.prefix);
}

// Compiling this pattern takes milliseconds.
const wordPattern = once(() => /\p{RGI_Emoji}|[\p{L}\p{M}\p{N}_]+/gv);

/** Split as by the analyzer; links and mentions are split like words. */
function positionedTokens(text: string): PositionedToken[] {
  return Array.from(text.toWellFormed().matchAll(wordPattern()), ({ 0: found, index }) => ({
    found,
    index,
  })).flatMap(({ found, index }) =>
    scriptRuns(found).flatMap(({ text: run, start }) => analyzeTokens(run, index + start)),
  );
}

/** Splits between scripts with and without spaces. */
function scriptRuns(text: string): { text: string; start: number }[] {
  const runs: { text: string; start: number; kind: number }[] = [];
  let offset = 0;
  for (const character of text) {
    const ownKind = codePointClass(character.codePointAt(0) ?? 0);
    const last = runs.at(-1);
    const kind = ownKind === mark && last !== undefined ? last.kind : ownKind;
    if (last !== undefined && last.kind === kind) last.text += character;
    else runs.push({ text: character, start: offset, kind });
    offset += character.length;
  }
  return runs.filter(({ kind }) => kind === word || kind === spaceless || kind === 0);
}

function analyzeTokens(text: string, start: number): PositionedToken[] {
  const [run, ...more] = splitIntoRuns(text);
  if (run === undefined || more.length > 0) return [];
  if (typeof run === "string") return [{ token: run, start, end: start + text.length }];
  // Folding has changed the length, so the offsets are unknown.
  if (run.join("").length !== text.length) return [];
  let offset = start;
  return run.map((character, index) => {
    const next = run[index + 1] ?? "";
    const tokenStart = offset;
    offset += character.length;
    return { token: pairToken(character, next), start: tokenStart, end: offset + next.length };
  });
}
