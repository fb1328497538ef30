import type { Bytes } from "./bytes.ts";
import type { Postings } from "./postings.ts";

export type TermSource = {
  readonly term: Bytes;
  isPositional(): boolean;
  /** Returns false after the last term. All postings of the previous term must have been taken. */
  next(): boolean;
  /**
   * Adds about `max` postings, in ascending or descending order; returns true after the last ones.
   */
  take(postings: Postings, max: number): boolean;
  close(): void;
};

export function compareTerms(a: Bytes, b: Bytes): number {
  const [left, right] = [a.bytes, b.bytes];
  const max = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < max && left[shared] === right[shared]) shared += 1;
  if (shared === max) return a.length - b.length;
  return (left[shared] as number) - (right[shared] as number);
}
