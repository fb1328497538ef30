import { decodeEntities } from "./characters.ts";
import { pairToken, splitIntoRuns, type TextRun } from "./runs.ts";

/** A whole token, a prefix (for a lone CJK character), or any token. */
export type SequenceElement =
  | { kind: "token"; token: string }
  | { kind: "prefix"; prefix: string }
  | { kind: "any" };

type SequencePosition = TextRun | typeof anyToken;
const anyToken = Symbol("any token");

/** `state-of-the-art` gives four elements. Mentions and links are plain words. */
export function querySequence(text: string): SequenceElement[] {
  return sequenceElements(splitIntoRuns(decodeEntities(text).toWellFormed()));
}

/** A separate `*` matches exactly one token. */
export function phraseSequence(text: string): SequenceElement[] {
  const positions: SequencePosition[] = [];
  for (const part of decodeEntities(text).toWellFormed().split(/\s+/u)) {
    if (part === "*" || part === "＊") positions.push(anyToken);
    else positions.push(...splitIntoRuns(part));
  }
  const first = positions.findIndex((position) => position !== anyToken);
  const last = positions.findLastIndex((position) => position !== anyToken);
  return first < 0 ? [] : sequenceElements(positions.slice(first, last + 1));
}

function sequenceElements(positions: readonly SequencePosition[]): SequenceElement[] {
  return positions.flatMap((position, index): SequenceElement[] => {
    if (position === anyToken) return [{ kind: "any" }];
    if (typeof position === "string") return [{ kind: "token", token: position }];
    if (positions[index + 1] === anyToken) return elementsBeforeAny(position);
    return characterElements(position, index === positions.length - 1);
  });
}

/** In a document the run may continue, so the last character's token is left open. */
function elementsBeforeAny(characters: readonly string[]): SequenceElement[] {
  const elements = characterElements(characters, true);
  return characters.length > 1 ? [...elements, { kind: "any" }] : elements;
}

/**
 * In a document, a run ends with its last character's token, and so does a run before another word
 * in a query. A query's last run may end inside a longer run.
 */
function characterElements(characters: readonly string[], isLast: boolean): SequenceElement[] {
  const [first, second] = characters;
  if (isLast && first !== undefined && second === undefined) {
    return [{ kind: "prefix", prefix: pairToken(first, "") }];
  }
  const tokens = characters.map((character, index) =>
    pairToken(character, characters[index + 1] ?? ""),
  );
  const wholeTokens = isLast ? tokens.slice(0, -1) : tokens;
  return wholeTokens.map((token) => ({ kind: "token", token }));
}
