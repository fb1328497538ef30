import type { DatabaseSync } from "node:sqlite";
import { assertChecksum, headerChecksum, type SealedHeader } from "./checksums.ts";
import { isDamage, SealedDamageError } from "./damage.ts";
import { formatWithoutChecksums, idsPerPage, sealedFormat } from "./format.ts";

/** `isReadable` means that the format is known and the numbers are plausible. */
export type SealedState = {
  posts: number;
  sealedMs: number;
  hasChecksums: boolean;
  isReadable: boolean;
};

const unreadableState: SealedState = {
  posts: 0,
  sealedMs: 0,
  hasChecksums: false,
  isReadable: false,
};

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
  const selectHeader = segment.prepare("SELECT format, posts, sealed_ms FROM sealed");
  // Damaged numbers may exceed safe integers.
  selectHeader.setReadBigInts(true);
  const row = selectHeader.get();
  if (row === undefined) return isHeaderLost(segment) ? unreadableState : null;
  const posts = Number(row.posts);
  const sealedMs = Number(row.sealed_ms);
  const hasChecksums = row.format === BigInt(sealedFormat);
  const hasKnownFormat = hasChecksums || row.format === BigInt(formatWithoutChecksums);
  return {
    posts,
    sealedMs,
    hasChecksums,
    isReadable: hasKnownFormat && isCount(posts) && isCount(sealedMs),
  };
}

/** Only sealed segments have rows in `sealed_ids`. */
const isHeaderLost = (segment: DatabaseSync): boolean =>
  segment.prepare("SELECT 1 FROM sealed_ids LIMIT 1").get() !== undefined;

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Null if the segment is not sealed. Errors: `SealedDamageError`. */
export function readableState(segment: DatabaseSync): SealedState | null {
  const state = sealedState(segment);
  if (state === null || state.isReadable) return state;
  throw new SealedDamageError(
    "its header row is unreadable, has another format, or is marked as damaged",
  );
}

/** `pageChecksums` is empty and `first` is null if the index has no checksums. */
export function readSealedHeader(
  segment: DatabaseSync,
): SealedHeader & Pick<SealedState, "hasChecksums"> {
  const state = readableState(segment);
  if (state === null) throw new SealedDamageError("its header row is missing");
  const { posts, sealedMs, hasChecksums } = state;
  if (!hasChecksums) {
    const { heads } = segment.prepare("SELECT heads FROM sealed").get() ?? {};
    const withoutChecksums = {
      format: formatWithoutChecksums,
      pageChecksums: noBytes,
      first: null,
    };
    return { ...withoutChecksums, posts, sealedMs, hasChecksums, firstIds: readBlob(heads) };
  }
  const row = segment.prepare("SELECT heads, page_sums, first, sum FROM sealed").get() ?? {};
  const header = {
    format: sealedFormat,
    posts,
    sealedMs,
    firstIds: readBlob(row.heads),
    pageChecksums: readBlob(row.page_sums),
    first: row.first === null ? null : readBlob(row.first),
  };
  assertChecksum(row.sum, headerChecksum(header), "its header row");
  if (header.pageChecksums.length !== 4 * Math.ceil(posts / idsPerPage)) {
    throw new SealedDamageError("its header row has the wrong number of checksums");
  }
  return { ...header, hasChecksums };
}

const noBytes = new Uint8Array(0);

function readBlob(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new SealedDamageError("its header row is malformed");
}

export function countDeltaPosts(segment: DatabaseSync, max: number): number {
  const countDelta = segment.prepare(
    "SELECT count(*) AS posts FROM (SELECT 1 FROM term_docsize LIMIT ?)",
  );
  return Number(countDelta.get(max)?.posts);
}
