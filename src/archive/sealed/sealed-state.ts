import type { DatabaseSync } from "node:sqlite";
import { isDamage, SealedDamage } from "./damage.ts";
import { idsPerPage, sealedFormat, unsummedFormat } from "./format.ts";
import { assertSum, headSum, type SealedHead } from "./sums.ts";

/** `isReadable`: the format is known and the numbers are plausible. */
export type SealedState = {
  posts: number;
  sealedMs: number;
  isSummed: boolean;
  isReadable: boolean;
};

const unreadableState: SealedState = { posts: 0, sealedMs: 0, isSummed: false, isReadable: false };

/** Null if not sealed. */
export function sealedState(segment: DatabaseSync): SealedState | null {
  const selectTable = segment.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sealed'");
  if (selectTable.get() === undefined) return null;
  try {
    return readState(segment);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return unreadableState;
  }
}

function readState(segment: DatabaseSync): SealedState | null {
  const selectHead = segment.prepare("SELECT format, posts, sealed_ms FROM sealed");
  // Damaged numbers may exceed safe integers.
  selectHead.setReadBigInts(true);
  const row = selectHead.get();
  if (row === undefined) return isHeadLost(segment) ? unreadableState : null;
  const posts = Number(row.posts);
  const sealedMs = Number(row.sealed_ms);
  const isSummed = row.format === BigInt(sealedFormat);
  const hasKnownFormat = isSummed || row.format === BigInt(unsummedFormat);
  return {
    posts,
    sealedMs,
    isSummed,
    isReadable: hasKnownFormat && isCount(posts) && isCount(sealedMs),
  };
}

/** The head was lost: only sealed segments have rows in `sealed_ids`. */
const isHeadLost = (segment: DatabaseSync): boolean =>
  segment.prepare("SELECT 1 FROM sealed_ids LIMIT 1").get() !== undefined;

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Null if not sealed. Errors: `SealedDamage`. */
export function readableState(segment: DatabaseSync): SealedState | null {
  const state = sealedState(segment);
  if (state === null || state.isReadable) return state;
  throw new SealedDamage("its head is unreadable, has another format, or is marked as damaged");
}

/** `pageSums` is empty and `first` null if the segment has no checksums. */
export function readHead(segment: DatabaseSync): SealedHead & Pick<SealedState, "isSummed"> {
  const state = readableState(segment);
  if (state === null) throw new SealedDamage("its head is missing");
  const { posts, sealedMs, isSummed } = state;
  if (!isSummed) {
    const { heads } = segment.prepare("SELECT heads FROM sealed").get() ?? {};
    const noSums = { format: unsummedFormat, pageSums: noBytes, first: null };
    return { ...noSums, posts, sealedMs, isSummed, heads: blobOf(heads) };
  }
  const row = segment.prepare("SELECT heads, page_sums, first, sum FROM sealed").get() ?? {};
  const head = {
    format: sealedFormat,
    posts,
    sealedMs,
    heads: blobOf(row.heads),
    pageSums: blobOf(row.page_sums),
    first: row.first === null ? null : blobOf(row.first),
  };
  assertSum(row.sum, headSum(head), "its head");
  if (head.pageSums.length !== 4 * Math.ceil(posts / idsPerPage)) {
    throw new SealedDamage("its head has too few checksums");
  }
  return { ...head, isSummed };
}

const noBytes = new Uint8Array(0);

function blobOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new SealedDamage("its head is truncated");
}

export function deltaPosts(segment: DatabaseSync, max: number): number {
  const countDelta = segment.prepare(
    "SELECT count(*) AS posts FROM (SELECT 1 FROM term_docsize LIMIT ?)",
  );
  return Number(countDelta.get(max)?.posts);
}
