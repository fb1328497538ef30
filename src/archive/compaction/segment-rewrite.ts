import type { DatabaseSync } from "node:sqlite";
import { firstInMillisecond, lastInMillisecond } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { currentNumbering, readSetting, type SegmentEntry } from "../catalog/catalog.ts";
import { isMisplaced } from "../catalog/misplaced.ts";
import type { IngestBatch } from "../segments/ingest-order.ts";
import type { StoredRow } from "../segments/intact-rows.ts";
import type { CompactionContext } from "./context.ts";
import { planRenumbering, unchangedIds } from "./renumbering.ts";
import type { SegmentCopy } from "./segment-copy.ts";

/** One new file, with the IDs from its `low` up to the `low` of the next part. */
export type Part = { sequence: number; low: bigint; copy: SegmentCopy };

export type SegmentRewrite = {
  platform: Platform;
  /** Ignores a damaged ingest order. */
  isSalvage: boolean;
  old: DatabaseSync;
  /** Lowest IDs first. */
  parts: readonly Part[];
  findCopy(id: bigint): SegmentCopy;
  /** The numbering of the IDs in the copies. */
  numbering: number;
  /** Null for a post written while its millisecond was being copied. */
  idInCopy(id: bigint): bigint | null;
  /** Null if the post is not copied. */
  copyRow(row: StoredRow): CopiedRow | null;
  /** Copies these posts of the old segment again, or removes them from the copies. */
  applyChanges(ids: readonly bigint[]): void;
  hashUri(uri: string): bigint;
  /** Copied posts that the catalog must list as misplaced. */
  misplaced: { hash: bigint; id: bigint }[];
  /** Misplaced posts that `shouldKeep` rejected, as uri hashes by ID: the catalog drops them. */
  droppedMisplaced: Map<bigint, bigint>;
  /**
   * The old IDs of posts that may have moved, by ID in the copies. `finishCatchUp` copies their
   * ingest numbers again.
   */
  sourceIds: Map<bigint, bigint>;
  /** IDs in the copies whose post was removed, replaced or renumbered; handled like `sourceIds`. */
  reassignedIds: Set<bigint>;
  /**
   * IDs in the copies whose ingest numbers were copied while catching up. `finishCatchUp` skips
   * those not reassigned.
   */
  newlyIngestedIds: Set<bigint>;
  /** The newest committed when the last round of copying began; later ones are copied again. */
  ingestNumberAtCopyStart: number;
  /** The newest committed ingest number. */
  lastIngestNumber(): number;
};

/** `id` is the ID in the copy. */
type CopiedRow = { id: bigint; uri: string; hasNativeId: boolean };

export function startRewrite(
  { catalog, hashUri }: Pick<CompactionContext, "catalog" | "hashUri">,
  { platform, numbering }: Pick<SegmentEntry, "platform" | "numbering">,
  old: DatabaseSync,
  parts: readonly Part[],
  { shouldKeep, isSalvage = false, shouldRenumber: isRenumbering = false }: StartOptions,
): SegmentRewrite {
  const isRenumbered = isRenumbering && numbering !== currentNumbering;
  const renumbering = isRenumbered ? planRenumbering(old, platform) : unchangedIds;
  const { idInCopy } = renumbering;
  const selectIdRange = old.prepare("SELECT * FROM post WHERE id BETWEEN ? AND ?");
  selectIdRange.setReadBigInts(true);
  const selectPost = old.prepare("SELECT * FROM post WHERE id = ?");
  selectPost.setReadBigInts(true);
  const selectHidden = old.prepare("SELECT 1 FROM hidden WHERE id = ?");

  function findCopy(id: bigint): SegmentCopy {
    const part = parts.findLast(({ low }) => low <= id);
    if (part === undefined) throw new Error(`no part owns ID ${id}`);
    return part.copy;
  }

  function copyRow(row: StoredRow): CopiedRow | null {
    const { id } = row;
    if (shouldKeep !== null && !shouldKeep(row.record)) {
      const uri = rowUri(row);
      if (isMisplaced(platform, uri, id)) rewrite.droppedMisplaced.set(id, hashUri(uri));
      return null;
    }
    const copyId = idInCopy(id);
    if (copyId === null) return null;
    const addedPost = findCopy(id).add(row, copyId);
    if (isMisplaced(platform, addedPost.uri, id)) {
      rewrite.misplaced.push({ hash: hashUri(addedPost.uri), id });
    }
    return { ...addedPost, id: copyId };
  }

  const rowUri = ({ id, record }: StoredRow): string =>
    recordUri({ id, platform, timeMs: 0, counts: noCounts, record });

  function applyChange(id: bigint): void {
    const copy = findCopy(id);
    const uriBefore = copy.remove(id, hashUri);
    rewrite.droppedMisplaced.delete(id);
    const row = selectPost.get(id) as StoredRow | undefined;
    const copiedRow = row === undefined ? null : copyRow(row);
    if (uriBefore !== null && uriBefore !== copiedRow?.uri) rewrite.reassignedIds.add(id);
    if (copiedRow === null) return;
    if (uriBefore === null) copy.ingestOrder.removeFromRun(id);
    if (!copiedRow.hasNativeId) copy.addUri(hashUri(copiedRow.uri), id);
    const mayHaveMoved = !copiedRow.hasNativeId && uriBefore !== copiedRow.uri;
    if (mayHaveMoved) rewrite.sourceIds.set(id, id);
    if (selectHidden.get(id) !== undefined) copy.hide(id);
  }

  /** A changed post may change the ID of every post in its millisecond. */
  function recopyMillisecond(low: bigint): void {
    const copy = findCopy(low);
    const high = lastInMillisecond(low);
    for (const id of copy.idsWithin(low, high)) {
      copy.remove(id, hashUri);
      copy.ingestOrder.setNumbers(id, []);
      rewrite.reassignedIds.add(id);
    }
    renumbering.clearCache();
    for (const storedRow of selectIdRange.all(low, high)) {
      const row = storedRow as StoredRow;
      rewrite.droppedMisplaced.delete(row.id);
      const copiedRow = copyRow(row);
      if (copiedRow === null) continue;
      copy.ingestOrder.removeFromRun(copiedRow.id);
      if (!copiedRow.hasNativeId) copy.addUri(hashUri(copiedRow.uri), copiedRow.id);
      rewrite.sourceIds.set(copiedRow.id, row.id);
      rewrite.reassignedIds.add(copiedRow.id);
      if (selectHidden.get(row.id) !== undefined) copy.hide(copiedRow.id);
    }
  }

  function applyChanges(ids: readonly bigint[]): void {
    if (isRenumbered) new Set(ids.map(firstInMillisecond)).forEach(recopyMillisecond);
    else ids.forEach(applyChange);
  }

  const lastIngestNumber = (): number => Number(readSetting(catalog, "ingest_number"));
  const rewrite: SegmentRewrite = {
    platform,
    isSalvage,
    old,
    parts,
    findCopy,
    numbering: isRenumbered ? currentNumbering : numbering,
    idInCopy,
    copyRow,
    applyChanges,
    hashUri,
    misplaced: [],
    droppedMisplaced: new Map(),
    sourceIds: new Map(),
    reassignedIds: new Set(),
    newlyIngestedIds: new Set(),
    ingestNumberAtCopyStart: lastIngestNumber(),
    lastIngestNumber,
  };
  return rewrite;
}

type StartOptions = {
  shouldKeep: ((record: string) => boolean) | null;
  isSalvage?: boolean;
  shouldRenumber?: boolean;
};

const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

export function copyIngestBatch(
  { findCopy, idInCopy }: Pick<SegmentRewrite, "findCopy" | "idInCopy">,
  { number, ids }: IngestBatch,
): void {
  for (const [copy, copyIds] of Map.groupBy(idsInCopy(ids, idInCopy), findCopy)) {
    copy.ingestOrder.put(number, copyIds);
  }
}

export function idsInCopy(
  ids: readonly bigint[],
  idInCopy: SegmentRewrite["idInCopy"],
): readonly bigint[] {
  return ids
    .map(idInCopy)
    .filter((id) => id !== null)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
