import type { DatabaseSync } from "node:sqlite";
import { isDamage, SealedDamage } from "./damage.ts";
import { sealedFormat } from "./format.ts";

/**
 * How many posts a segment was sealed with, when (Unix milliseconds), and whether its index can be read at all: it is of the
 * current format, and the numbers are such as there can be.
 */
export type SealedState = { posts: number; sealedMs: number; isReadable: boolean };

/**
 * Null where the segment is not sealed. A file that no writer has opened since there are sealed ones has no table that says so:
 * it is not sealed either. Whether the index was marked as damaged is said beside the file (`segments/damage-marker.ts`).
 */
export function sealedState(segment: DatabaseSync): SealedState | null {
  const table = segment.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sealed'");
  if (table.get() === undefined) return null;
  try {
    return readState(segment);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { posts: 0, sealedMs: 0, isReadable: false };
  }
}

function readState(segment: DatabaseSync): SealedState | null {
  const head = segment.prepare("SELECT format, posts, sealed_ms FROM sealed");
  // Damaged numbers may be larger than others can be read.
  head.setReadBigInts(true);
  const row = head.get();
  if (row === undefined) return null;
  const posts = Number(row.posts);
  const sealedMs = Number(row.sealed_ms);
  const isCurrentFormat = row.format === BigInt(sealedFormat);
  return { posts, sealedMs, isReadable: isCurrentFormat && isCount(posts) && isCount(sealedMs) };
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/**
 * The same for those who read the index. Errors: `SealedDamage` where it cannot be read, also where it was spoiled, as it was not
 * kept up.
 */
export function readableState(segment: DatabaseSync): SealedState | null {
  const state = sealedState(segment);
  if (state === null || state.isReadable) return state;
  throw new SealedDamage("its head cannot be read, is of another format, or was spoiled");
}

/** Posts of a sealed segment that FTS5 answers for, as they were written since; counted up to `most`. */
export function overlayPosts(segment: DatabaseSync, most: number): number {
  const count = segment.prepare(
    "SELECT count(*) AS posts FROM (SELECT 1 FROM term_docsize LIMIT ?)",
  );
  return Number(count.get(most)?.posts);
}
