import type { Bytes } from "./byte-writer.ts";
import type { Postings } from "./postings.ts";

/** Something that has terms, in the order of their UTF-8 bytes, and the posts they stand in. */
export type TermSource = {
  /** The UTF-8 bytes of the term at which it stands; `next` writes over them. */
  readonly term: Bytes;
  /** Whether the term holds positions. */
  holdsPositions(): boolean;
  /** Goes to the next term; false after the last. The postings of the term before have all been taken. */
  next(): boolean;
  /**
   * Adds postings of the term, in ascending or descending order of their numbers, and stops after some `most` of them; true
   * when these were the last. Terms that hold no positions may be given without. Posts that the index to be made does not
   * number are passed over.
   */
  take(postings: Postings, most: number): boolean;
  close(): void;
};

/** Which of two terms comes first in the order of their UTF-8 bytes: below zero where it is `a`. */
export function compareTerms(a: Bytes, b: Bytes): number {
  const [left, right] = [a.bytes, b.bytes];
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && left[shared] === right[shared]) shared += 1;
  if (shared === most) return a.length - b.length;
  return (left[shared] as number) - (right[shared] as number);
}
