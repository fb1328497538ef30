import { needsFolding, unitTable } from "./characters.ts";
import { possibleEmoji } from "./emoji.ts";

/**
 * By code units, so only an absent trait is certain. One pass over the text replaces a search per
 * trait.
 */
export const foldable = 1;
export const pictures = 2;

let table: Uint8Array | null = null;

export function textTraits(text: string): number {
  table ??= unitTable(
    [
      [foldable, makeRuns(needsFolding)],
      [pictures, makeRuns(possibleEmoji)],
    ],
    foldable | pictures,
  );
  let traits = 0;
  for (let index = 0; index < text.length; index += 1) {
    traits |= table[text.charCodeAt(index)] ?? 0;
  }
  return traits;
}

const makeRuns = (pattern: RegExp): RegExp => new RegExp(`(?:${pattern.source})+`, "g");
