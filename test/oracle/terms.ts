import { findEntitySpans, hostHandle } from "./entities.ts";
import { decodeReferences, type Token, tokenize } from "./text.ts";

export type Position = Token | { kind: "any" };

export type Leaf =
  | { kind: "operator"; name: string; value: string }
  | { kind: "phrase"; positions: Position[] }
  | { kind: "hashtag"; name: string }
  | { kind: "cashtag"; name: string }
  | { kind: "mention"; name: string }
  | { kind: "emoticon"; name: string }
  | { kind: "question" };

/** Single stars are wildcards, except at the ends. */
function readPositions(text: string, quoted: boolean): Position[] {
  if (!quoted) return tokenize(text);
  const positions = text
    .split(/\s+/)
    .flatMap((part): Position[] => (part === "*" ? [{ kind: "any" }] : tokenize(part)));
  const isAny = (position: Position | undefined): boolean => position?.kind === "any";
  while (isAny(positions[0])) positions.shift();
  while (isAny(positions.at(-1))) positions.pop();
  return positions;
}

function wordPhrase(text: string, quoted: boolean): Leaf[] {
  const positions = readPositions(text, quoted);
  return positions.length > 0 ? [{ kind: "phrase", positions }] : [];
}

/** Reads a link, ignoring trailing punctuation. */
function soleLink(text: string): Leaf | undefined {
  const trimmed = text.trim();
  if (/^https?:\/\/\S+$/i.test(trimmed)) return { kind: "operator", name: "url", value: trimmed };
  const [first] = findEntitySpans(trimmed, "any");
  if (first?.kind !== "link" || first.start > 0) return undefined;
  if (/[\p{L}\p{M}\p{N}\p{S}_#@$*]/u.test(trimmed.slice(first.end))) return undefined;
  return { kind: "operator", name: "url", value: first.value };
}

const did = /did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9]/y;
const username = /[A-Za-z0-9_]+/y;

const punctuation = /^[.,;:…'’]+(?=[#＃@＠])/;

function handleAt(text: string, offset: number): string | undefined {
  for (const pattern of [did, hostHandle, username]) {
    pattern.lastIndex = offset;
    const found = pattern.exec(text)?.[0];
    if (found) return found;
  }
  return undefined;
}

/** A mention, hashtag or cashtag at the start of a text. */
function prefixedTermAt(text: string): { leaf: Leaf; end: number } | undefined {
  if (text.startsWith("@") || text.startsWith("＠")) {
    const name = handleAt(text, 1);
    if (name) return { leaf: { kind: "mention", name }, end: 1 + name.length };
  }
  const [first] = findEntitySpans(text, "x");
  if (first?.start !== 0 || (first.kind !== "hashtag" && first.kind !== "cashtag"))
    return undefined;
  return { leaf: { kind: first.kind, name: first.value }, end: first.end };
}

/** All terms must match; empty if nothing is searchable. */
export function textTerms(source: string, quoted: boolean): Leaf[] {
  const text = decodeReferences(source);
  const link = soleLink(text);
  if (link) return [link];
  if (quoted) return wordPhrase(text, true);
  const unpunctuated = text.replace(punctuation, "");
  const found = prefixedTermAt(unpunctuated);
  if (!found) return wordPhrase(text, false);
  const remaining = unpunctuated
    .slice(found.end)
    .replace(/^[^\p{L}\p{M}\p{N}\p{So}_#＃@＠*]+/u, "");
  return remaining === "" ? [found.leaf] : [found.leaf, ...textTerms(remaining, false)];
}
