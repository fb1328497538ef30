import { decodeEntities } from "./html.ts";
import { pairToken, type Run, runsOf } from "./runs.ts";

/** One place of a sequence of tokens: a whole token, the start of one (a lone CJK character), or any single token. */
export type SequenceElement =
  | { kind: "token"; token: string }
  | { kind: "prefix"; prefix: string }
  | { kind: "any" };

type Place = Run | typeof anyToken;
const anyToken = Symbol("any token");

/**
 * The tokens that must stand side by side where a document holds this word (`state-of-the-art` is four). Empty when there is
 * nothing to look for. No mentions or links are recognised: their words count as plain words. See `analyzeText` for how
 * documents are spelled.
 */
export function querySequence(text: string): SequenceElement[] {
  return spell(runsOf(decodeEntities(text).toWellFormed()));
}

/** As `querySequence` for a quoted phrase: a `*` on its own between words stands for exactly one token, whatever it is. */
export function phraseSequence(text: string): SequenceElement[] {
  const places: Place[] = [];
  for (const part of decodeEntities(text).toWellFormed().split(/\s+/u)) {
    if (part === "*" || part === "＊") places.push(anyToken);
    else places.push(...runsOf(part));
  }
  const first = places.findIndex((place) => place !== anyToken);
  const last = places.findLastIndex((place) => place !== anyToken);
  return first < 0 ? [] : spell(places.slice(first, last + 1));
}

function spell(places: readonly Place[]): SequenceElement[] {
  return places.flatMap((place, index): SequenceElement[] => {
    if (place === anyToken) return [{ kind: "any" }];
    if (typeof place === "string") return [{ kind: "token", token: place }];
    if (places[index + 1] === anyToken) return spellBeforeAny(place);
    return spellCharacters(place, index === places.length - 1);
  });
}

/** The token that stands for any one takes up a document's run where this one ends: its last character's own token is open. */
function spellBeforeAny(characters: readonly string[]): SequenceElement[] {
  const open = spellCharacters(characters, true);
  return characters.length > 1 ? [...open, { kind: "any" }] : open;
}

/**
 * A document's run ends with the token of its last character, so a run that something follows has to end there too; the last
 * run of a query may end in the middle of a document's.
 */
function spellCharacters(characters: readonly string[], isLast: boolean): SequenceElement[] {
  const [first, second] = characters;
  if (isLast && first !== undefined && second === undefined) {
    return [{ kind: "prefix", prefix: pairToken(first, "") }];
  }
  const tokens = characters.map((character, index) =>
    pairToken(character, characters[index + 1] ?? ""),
  );
  const wanted = isLast ? tokens.slice(0, -1) : tokens;
  return wanted.map((token) => ({ kind: "token", token }));
}
