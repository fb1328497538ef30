import { type Positions, positionAt, positionRange, seekPosition } from "./positions.ts";

export type Word = { positions: Positions; ranks: Uint32Array };

let nextOffsets = new Uint32Array(64);
let endOffsets = new Uint32Array(64);

export function alignedPosition(words: readonly Word[], index: number): number | null {
  const count = words.length;
  growArrays(count);
  for (let number = 0; number < count; number++) {
    const { positions, ranks } = words[number] as Word;
    const { from, end } = positionRange(positions, ranks[index] as number);
    nextOffsets[number] = from;
    endOffsets[number] = end;
  }
  let position = 0;
  let agreeingWords = 0;
  for (let number = count - 1; ; number = number === 0 ? count - 1 : number - 1) {
    const { positions } = words[number] as Word;
    const end = endOffsets[number] as number;
    const next = seekPosition(positions, nextOffsets[number] as number, end, position + number);
    if (next === end) return null;
    nextOffsets[number] = next;
    const start = positionAt(positions, next) - number;
    agreeingWords = start === position ? agreeingWords + 1 : 1;
    position = start;
    if (agreeingWords === count) return position;
  }
}

function growArrays(words: number): void {
  if (words <= nextOffsets.length) return;
  nextOffsets = new Uint32Array(2 * words);
  endOffsets = new Uint32Array(2 * words);
}
