import type { ChunkSet } from "./chunk-set.ts";
import type { Positions } from "./positions.ts";

export type PostSets = {
  /** An upper bound on the number of posts in each chunk; 0 means none. */
  readonly counts: Uint32Array;
  set(chunk: number): ChunkSet;
  prepare?(chunk: number): Generator<number, void>;
};

export type PostingList = PostSets & {
  /** Indexed by rank in `set` (`computeRanks`). */
  positions(set: ChunkSet): Positions;
};

export type PostingRows = {
  readonly posts: number;
  docs(row: number): Uint8Array;
  positions(row: number): Uint8Array;
};

export function assertPositional(isPositional: boolean): void {
  if (!isPositional) throw new Error("a phrase contains a term without positions");
}

export const listOverheadBytes = 1_000;
export const positionsOverheadBytes = 700;
