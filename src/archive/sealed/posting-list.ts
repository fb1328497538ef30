import type { ChunkSet } from "./chunk-set.ts";
import type { Positions } from "./positions.ts";

/** Posts of a sealed index, chunk by chunk. */
export type PostSets = {
  /** How many there are in each chunk at most; none where it says zero. */
  readonly counts: Uint32Array;
  /** Those of a chunk. Read when they are first asked for. */
  set(chunk: number): ChunkSet;
  /**
   * Makes the set of a chunk in steps, where that takes long: yields how many terms, or as much else, each one read. What was made
   * is kept where the caller does not go on.
   */
  prepare?(chunk: number): Generator<number, void>;
};

/** The posts of one term, and where it stands in them. */
export type PostingList = PostSets & {
  /** The positions in the posts of a set that `set` gave, by the ranks that `ranks` gives. */
  positions(set: ChunkSet): Positions;
};

/** The rows of a sealed segment that hold what does not stand in the dictionary. */
export type PostingRows = {
  readonly posts: number;
  /** Throws `SealedDamage` where there is no such row. */
  docs(row: number): Uint8Array;
  positions(row: number): Uint8Array;
};

/** Terms that are looked for alone keep no positions: a plan never has them in a phrase. */
export function assertPositioned(positioned: boolean): void {
  if (!positioned) throw new Error("a term that keeps no positions stands in a phrase");
}

/** What a posting list takes beside its posts, and the positions of some of them: objects, functions, heads of typed arrays; bytes. */
export const bytesOfList = 1_000;
export const bytesOfPositions = 700;
