import type { ChunkSet } from "./chunk-set.ts";
import type { Positions } from "./positions.ts";

/** Posts of a sealed index, by chunk. */
export type PostSets = {
  /** Upper bounds by chunk; 0 means none. */
  readonly counts: Uint32Array;
  /** Read on first use. */
  set(chunk: number): ChunkSet;
  /**
   * Builds the set of a chunk in steps, if that is slow; yields the cost in terms read. An abandoned build can be continued.
   */
  prepare?(chunk: number): Generator<number, void>;
};

/** The posts and positions of one term. */
export type PostingList = PostSets & {
  /** Positions in the posts of a set from `set`, indexed by `ranks`. */
  positions(set: ChunkSet): Positions;
};

/** The postings that are not in the dictionary. */
export type PostingRows = {
  readonly posts: number;
  /** Errors: `SealedDamage` if the row does not exist. */
  docs(row: number): Uint8Array;
  positions(row: number): Uint8Array;
};

/** Plans never put terms without positions into phrases. */
export function assertPositioned(positioned: boolean): void {
  if (!positioned) throw new Error("a term that keeps no positions stands in a phrase");
}

/** Overhead of a posting list, and of its positions: objects, functions, typed-array headers; bytes. */
export const bytesOfList = 1_000;
export const bytesOfPositions = 700;
