import { unitTable } from "./characters.ts";
import { mayHoldEmoji } from "./emoji.ts";
import { needsFolding } from "./fold.ts";

/**
 * What a text may hold, as its code units alone tell: a trait that is missing is missing for certain. One walk along a table
 * takes the place of a search for each, as most texts have none of them.
 */
export const foldable = 1;
export const pictures = 2;

let table: Uint8Array | null = null;

/** The traits of a text, as the sum of their numbers. */
export function traitsOf(text: string): number {
  table ??= unitTable(
    [
      [foldable, runsOf(needsFolding)],
      [pictures, runsOf(mayHoldEmoji)],
    ],
    foldable | pictures,
  );
  let traits = 0;
  for (let index = 0; index < text.length; index += 1) {
    traits |= table[text.charCodeAt(index)] ?? 0;
  }
  return traits;
}

const runsOf = (pattern: RegExp): RegExp => new RegExp(`(?:${pattern.source})+`, "g");
