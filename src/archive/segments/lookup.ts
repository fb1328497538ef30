import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { type ChunkSet, readMembers } from "../sealed/chunk-set.ts";
import { isDamage } from "../sealed/damage.ts";
import { postsPerChunk } from "../sealed/format.ts";
import { type ChecksummedRow, openRowChecksums } from "./checked-rows.ts";
import type { SealedIndexReader, SealedView } from "./sealed-index-reader.ts";

export type PostLookup<Found> = {
  has(id: bigint): boolean;
  lowestId(from: bigint, to: bigint): bigint | null;
  highestId(from: bigint, to: bigint): bigint | null;
  /** `uri` is empty if the row is damaged. */
  findById(id: bigint): (Found & { uri: string }) | null;
  findByUri(hash: bigint, uri: string): Found | null;
};

const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

/**
 * Includes hidden posts. A damaged row with the uri's hash matches, because 64-bit hashes rarely
 * collide.
 */
export function segmentLookup(
  database: DatabaseSync,
  platform: Platform,
): PostLookup<{ id: bigint }> {
  const checksums = openRowChecksums(database);
  const selectPost = database.prepare(
    `SELECT id, time_ms AS timeMs, likes, reposts, replies, quotes, revision, record, ${checksums.column} AS sum
     FROM post WHERE id = ?`,
  );
  selectPost.setReadBigInts(true);
  const selectExists = database.prepare("SELECT 1 FROM post WHERE id = ?");
  const selectLowest = database.prepare("SELECT min(id) AS id FROM post WHERE id BETWEEN ? AND ?");
  const selectHighest = database.prepare("SELECT max(id) AS id FROM post WHERE id BETWEEN ? AND ?");
  selectLowest.setReadBigInts(true);
  selectHighest.setReadBigInts(true);
  const selectIdsByHash = database.prepare("SELECT id FROM uri WHERE hash = ?");
  selectIdsByHash.setReadBigInts(true);

  function findById(id: bigint): { id: bigint; uri: string } | null {
    const row = selectPost.get(id) as (ChecksummedRow & { sum: bigint | null }) | undefined;
    if (row === undefined) return null;
    if (!checksums.isIntact(row, row.sum)) return { id, uri: "" };
    return {
      id,
      uri: recordUri({ id, platform, timeMs: 0, counts: noCounts, record: row.record }),
    };
  }

  function findByUri(hash: bigint, uri: string): { id: bigint } | null {
    for (const { id } of selectIdsByHash.all(hash)) {
      const found = findById(id as bigint);
      if (found?.uri === uri || found?.uri === "") return found;
    }
    return null;
  }

  return {
    has: (id) => selectExists.get(id) !== undefined,
    lowestId: (from, to) => selectLowest.get(from, to)?.id as bigint | null,
    highestId: (from, to) => selectHighest.get(from, to)?.id as bigint | null,
    findById,
    findByUri,
  };
}

const memberBuffer = new Uint16Array(1);

/**
 * Checks whether an index contains a visible post, whose row must then exist; true if the index is
 * unreadable. Requires a snapshot.
 */
export function indexedPostChecker(
  database: DatabaseSync,
  sealed: SealedIndexReader | null,
): (id: bigint) => boolean {
  const selectHidden = database.prepare("SELECT 1 FROM hidden WHERE id = ?");
  const selectInDelta = database.prepare("SELECT 1 FROM term_docsize WHERE id = ?");

  function isIndexed(id: bigint): boolean {
    if (selectHidden.get(id) !== undefined) return false;
    if (selectInDelta.get(id) !== undefined) return true;
    if (sealed === null) return false;
    return sealed.read(
      (view) => isSealed(view, id),
      () => true,
    );
  }

  return (id) => {
    try {
      return isIndexed(id);
    } catch (error) {
      if (isDamage(error)) return true;
      throw error;
    }
  };
}

function isSealed({ index: { numbers }, deletions }: SealedView, id: bigint): boolean {
  const number = numbers.findNumber(id);
  if (number === null) return false;
  const replacedSet = deletions.replacedSet(Math.floor(number / postsPerChunk));
  return !isInSet(replacedSet, number % postsPerChunk);
}

export const isInSet = (set: ChunkSet | null, post: number): boolean =>
  set !== null && readMembers(set, post, post + 1, memberBuffer, 1) > 0;
