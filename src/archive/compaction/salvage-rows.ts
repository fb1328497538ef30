import type { DatabaseSync } from "node:sqlite";
import { xUri } from "../../posts/ids.ts";
import { openCatalogAccounts } from "../catalog/accounts.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { findModeration, openCatalogLabels } from "../catalog/moderation.ts";
import { openTombstones } from "../catalog/removed-posts.ts";
import { createIdList, type IdList } from "../segments/id-list.ts";
import { intactRows, type StoredRow, type UnreadableIds } from "../segments/intact-rows.ts";
import { knownIds } from "../segments/known-ids.ts";
import { isFreeListIntact, rawRows } from "../segments/raw-rows.ts";
import { checkpointWal } from "./checkpoint-wal.ts";
import type { CompactionContext } from "./context.ts";
import { type LostPost, type LostPosts, lostSpans } from "./lost-posts.ts";
import {
  decodedRow,
  hiddenIdsIn,
  numericSetting,
  openDamaged,
  uriEntryFinder,
} from "./read-damaged.ts";
import { copyReadableIngestOrder } from "./salvage-ingest-order.ts";
import type { SegmentRewrite } from "./segment-rewrite.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

const postsPerStep = 250;

export type Salvage = {
  copyRows(): CompactionSteps<void>;
  copyIngestOrder(from: number): CompactionSteps<void>;
  isDamaged(): boolean;
  findLostPosts(): LostPosts | null;
  close(): void;
};

/** Begins a snapshot, which `close` ends. */
export function createSalvage(
  context: CompactionContext,
  entry: SegmentEntry,
  rewrite: SegmentRewrite,
): Salvage {
  const { folder, catalog, hashUri } = context;
  const { platform } = entry;
  const path = segmentPath(folder, entry);
  const accounts = openCatalogAccounts(catalog);
  const labels = openCatalogLabels(catalog);
  const salvagedIds = createIdList();
  const unreadableRanges: UnreadableIds[] = [];
  const source = openDamaged(path);
  const hiddenIds = hiddenIdsIn(source);
  let indexedIds: IdList = createIdList();
  let posts: number | null = null;
  let wasIntact = false;
  const revisionsFromPages = new Map<bigint, string>();
  const uris = new Map<bigint, string>();

  function copyRow(row: StoredRow): boolean {
    const { id } = row;
    const post = decodedRow(row, platform);
    const copiedRow = post === null ? null : rewrite.copyRow(row);
    if (post === null || copiedRow === null) return false;
    const copy = rewrite.findCopy(id);
    if (!copiedRow.hasNativeId) copy.addUri(hashUri(copiedRow.uri), id);
    const userId = post.userId?.toLowerCase() ?? null;
    const { hidden } = findModeration({ platform, uri: copiedRow.uri, userId }, accounts, labels);
    if (hidden || hiddenIds.has(id)) copy.hide(id);
    return true;
  }

  function* copyRows(): CompactionSteps<void> {
    if (source === null) unreadableRanges.push({ from: entry.low - 1n, to: null });
    else yield* copyIntactRows(source);
    if (source !== null) {
      indexedIds = knownIds(source);
      posts = numericSetting(source, "posts");
    }
    yield "worked";
    wasIntact = unreadableRanges.length === 0 && missingIds().length === 0;
    if (!wasIntact) yield* copyRawRows();
  }

  const isInSegment = (id: bigint): boolean => id >= entry.low && id <= entry.high;

  function* copyIntactRows(database: DatabaseSync): CompactionSteps<void> {
    let rows = 0;
    try {
      for (const row of intactRows(database, (ids) => unreadableRanges.push(ids))) {
        if (isInSegment(row.id) && copyRow(row)) salvagedIds.add(row.id);
        rows += 1;
        if (rows % postsPerStep === 0) yield "worked";
      }
    } catch {
      unreadableRanges.push({ from: entry.low - 1n, to: null });
    }
  }

  function missingIds(): bigint[] {
    if (posts !== null && posts === salvagedIds.size) return [];
    return [...indexedIds.sorted()].filter((id) => isInSegment(id) && !salvagedIds.has(id));
  }

  function* copyRawRows(): CompactionSteps<void> {
    yield* inLock(catalog, () => {
      try {
        checkpointWal(path);
      } catch {
        // The log is unreadable as well.
      }
    });
    // Deleted rows remain only on free pages. If all free pages are known, or no list is readable,
    // rows that no list contains are salvaged too, unless they have a tombstone.
    const mayBeUnlisted = source === null || isFreeListIntact(path);
    const tombstones = openTombstones(catalog, platform, accounts);
    const hasUriEntry = uriEntryFinder(source);
    let rows = 0;
    for (const { row, isIntact } of rawRows(path)) {
      rows += 1;
      if (rows % postsPerStep === 0) yield "worked";
      const { id, revision } = row;
      const knownRevision = revisionsFromPages.get(id);
      if (
        !isInSegment(id) ||
        salvagedIds.has(id) ||
        (knownRevision !== undefined && knownRevision >= revision)
      )
        continue;
      const post = decodedRow(row, platform);
      if (post === null) continue;
      if (isIntact === false) {
        if (hasUriEntry(hashUri(post.uri), id)) uris.set(id, post.uri);
        continue;
      }
      const { uri, userId } = post;
      const isRemoved = (): boolean =>
        tombstones.covers({ uri, revision, userId, observedMs: Number(row.time_ms) });
      if (!indexedIds.has(id) && (isIntact === null || !mayBeUnlisted || isRemoved())) continue;
      if (knownRevision !== undefined) rewrite.findCopy(id).remove(id, hashUri);
      if (copyRow(row)) revisionsFromPages.set(id, revision);
    }
    for (const id of revisionsFromPages.keys()) salvagedIds.add(id);
  }

  function findLostPosts(): LostPosts | null {
    const lostPosts = missingIds()
      .filter((id) => !rewrite.findCopy(id).has(id))
      .map((id): LostPost => ({ id, uri: platform === "x" ? xUri(id) : (uris.get(id) ?? null) }));
    const expectedLoss = posts === null ? null : Math.max(posts - salvagedIds.size, 0);
    /** Whether posts that no list contains may be lost. */
    const isUnknown =
      expectedLoss === null ? indexedIds.size === 0 : expectedLoss > lostPosts.length;
    if (lostPosts.length === 0 && (unreadableRanges.length === 0 || !isUnknown)) return null;
    return {
      count: Math.max(lostPosts.length, expectedLoss ?? 0),
      isExact: posts !== null,
      posts: lostPosts,
      spans: lostSpans(entry, lostPosts, isUnknown ? unreadableRanges : [], context.clock.now()),
    };
  }

  return {
    copyRows,
    copyIngestOrder: (from) =>
      source === null ? noSteps() : copyReadableIngestOrder(source, rewrite, salvagedIds, from),
    isDamaged: () => !wasIntact,
    findLostPosts,
    close: () => source?.close(),
  };
}

function* noSteps(): CompactionSteps<void> {}
