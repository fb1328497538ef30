import { type Positions, positionAt, positionRange, seekPosition } from "./positions.ts";

export type Word = { positions: Positions; ranks: Uint32Array };

let nexts = new Uint32Array(64);
let ends = new Uint32Array(64);

export function alignedPosition(words: readonly Word[], index: number): number | null {
  const count = words.length;
  growArrays(count);
  for (let number = 0; number < count; number++) {
    const { positions, ranks } = words[number] as Word;
    const { from, end } = positionRange(positions, ranks[index] as number);
    nexts[number] = from;
    ends[number] = end;
  }
  let position = 0;
  let agreeing = 0;
  for (let number = count - 1; ; number = number === 0 ? count - 1 : number - 1) {
    const { positions } = words[number] as Word;
    const end = ends[number] as number;
    const next = seekPosition(positions, nexts[number] as number, end, position + number);
    if (next === end) return null;
    nexts[number] = next;
    const found = positionAt(positions, next) - number;
    agreeing = found === position ? agreeing + 1 : 1;
    position = found;
    if (agreeing === count) return position;
  }
}

function growArrays(words: number): void {
  if (words <= nexts.length) return;
  nexts = new Uint32Array(2 * words);
  ends = new Uint32Array(2 * words);
}
