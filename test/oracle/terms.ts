import { hostHandle, piecesOf, stretchesOf } from "./entities.ts";
import { decodeReferences, type Token, tokenize } from "./text.ts";

/** One word of a phrase, or the place of any word. */
export type Place = Token | { kind: "any" };

/** A condition that holds no other. */
export type Leaf =
  | { kind: "operator"; name: string; value: string }
  | { kind: "phrase"; of: Place[] }
  | { kind: "hashtag"; name: string }
  | { kind: "cashtag"; name: string }
  | { kind: "mention"; name: string }
  | { kind: "emoticon"; name: string }
  | { kind: "question" };

/** The places of a phrase: stars by themselves are places, those at an end are left out. */
function placesOf(text: string, quoted: boolean): Place[] {
  if (!quoted) return tokenize(text);
  const of = text
    .split(/\s+/)
    .flatMap((part): Place[] => (part === "*" ? [{ kind: "any" }] : tokenize(part)));
  const isAny = (place: Place | undefined): boolean => place?.kind === "any";
  while (isAny(of[0])) of.shift();
  while (isAny(of.at(-1))) of.pop();
  return of;
}

function leavesOfText(text: string, quoted: boolean): Leaf[] {
  const stretches = stretchesOf(text, "any");
  const pieces = piecesOf(text, stretches).flatMap((piece): Leaf[] => {
    const of = placesOf(piece, quoted);
    return of.length > 0 ? [{ kind: "phrase", of }] : [];
  });
  const others = stretches.flatMap((stretch): Leaf[] => {
    if (stretch.kind === "link") return [{ kind: "operator", name: "url", value: stretch.value }];
    if (stretch.kind === "mention") return [{ kind: "mention", name: stretch.value }];
    return [];
  });
  return [...pieces, ...others];
}

const did = /did:[a-z0-9]+:[A-Za-z0-9._:%-]*[A-Za-z0-9]/y;
const username = /[A-Za-z0-9_]+/y;

function handleAt(text: string, at: number): string | undefined {
  for (const form of [did, hostHandle, username]) {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found) return found;
  }
  return undefined;
}

/**
 * What a word of a query or the inside of a quotation asks for. None when there is nothing to search
 * for; when there are several, all must hold.
 */
export function termsOfText(source: string, quoted: boolean): Leaf[] {
  const text = decodeReferences(source);
  if (quoted) return leavesOfText(text, true);
  if (text.startsWith("@") || text.startsWith("＠")) {
    const name = handleAt(text, 1);
    if (name) {
      return [{ kind: "mention", name }, ...leavesOfText(text.slice(1 + name.length), false)];
    }
  }
  const [first] = stretchesOf(text, "x");
  if (first?.start === 0 && (first.kind === "hashtag" || first.kind === "cashtag")) {
    const rest = leavesOfText(text.slice(first.end), false);
    return [{ kind: first.kind, name: first.value }, ...rest];
  }
  return leavesOfText(text, false);
}
