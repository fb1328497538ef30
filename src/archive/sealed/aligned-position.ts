import { type Positions, positionAt, positionsOf, seekPosition } from "./positions.ts";

/** One term of a phrase: its positions, and the rank of each candidate in them. */
export type Word = { positions: Positions; ranks: Uint32Array };

/** Where the places of each word of a phrase lie in its list: from which on they may still count, and where they end. */
let nexts = new Uint32Array(64);
let ends = new Uint32Array(64);

/**
 * The place from which on the words stand side by side in a candidate in which each of them has several; null where they do not.
 *
 * The last word is looked at first, then those before it, round and round, each where it would have to stand; one that stands
 * later alone moves all of them on. No place is looked at again, so that a post that repeats a word, asked for a phrase that
 * repeats it too, takes about as long as it has places.
 */
export function alignedPosition(words: readonly Word[], index: number): number | null {
  const count = words.length;
  makeRoom(count);
  for (let number = 0; number < count; number++) {
    const { positions, ranks } = words[number] as Word;
    const { from, end } = positionsOf(positions, ranks[index] as number);
    nexts[number] = from;
    ends[number] = end;
  }
  let place = 0;
  let agreeing = 0;
  for (let number = count - 1; ; number = number === 0 ? count - 1 : number - 1) {
    const { positions } = words[number] as Word;
    const end = ends[number] as number;
    const next = seekPosition(positions, nexts[number] as number, end, place + number);
    if (next === end) return null;
    nexts[number] = next;
    const found = positionAt(positions, next) - number;
    agreeing = found === place ? agreeing + 1 : 1;
    place = found;
    if (agreeing === count) return place;
  }
}

function makeRoom(words: number): void {
  if (words <= nexts.length) return;
  nexts = new Uint32Array(2 * words);
  ends = new Uint32Array(2 * words);
}
