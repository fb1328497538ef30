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
import { checkpointLog } from "./checkpoint-log.ts";
import type { CompactionContext } from "./context.ts";
import { type LostPost, type LostPosts, lostSpans } from "./lost-posts.ts";
import { decodedRow, hiddenIn, numberIn, openDamaged, uriEntryFinder } from "./read-damaged.ts";
import { copyReadableIngestOrder } from "./salvage-ingest-order.ts";
import type { SegmentRewrite } from "./segment-rewrite.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

const postsPerStep = 250;

export type Salvage = {
  copyRows(): CompactionSteps<void>;
  copyIngestOrder(from: number): CompactionSteps<void>;
  isDamaged(): boolean;
  lost(): LostPosts | null;
  close(): void;
};

/** Begins a snapshot from which all data is read. */
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
  const salvaged = createIdList();
  const unreadable: UnreadableIds[] = [];
  const source = openDamaged(path);
  const wasHidden = hiddenIn(source);
  let indexedIds: IdList = createIdList();
  let posts: number | null = null;
  let wasIntact = false;
  const revisionsFromPages = new Map<bigint, string>();
  const uris = new Map<bigint, string>();

  function copyRow(row: StoredRow): boolean {
    const { id } = row;
    const post = decodedRow(row, platform);
    const added = post === null ? null : rewrite.copyRow(row);
    if (post === null || added === null) return false;
    const copy = rewrite.findCopy(id);
    if (!added.hasNativeId) copy.addUri(hashUri(added.uri), id);
    const userId = post.userId?.toLowerCase() ?? null;
    const { hidden } = findModeration({ platform, uri: added.uri, userId }, accounts, labels);
    if (hidden || wasHidden.has(id)) copy.hide(id);
    return true;
  }

  function* copyRows(): CompactionSteps<void> {
    if (source === null) unreadable.push({ from: entry.low - 1n, to: null });
    else yield* copyIntact(source);
    if (source !== null) {
      indexedIds = knownIds(source);
      posts = numberIn(source, "posts");
    }
    yield "worked";
    wasIntact = unreadable.length === 0 && missing().length === 0;
    if (!wasIntact) yield* copyRaw();
  }

  const isInSegment = (id: bigint): boolean => id >= entry.low && id <= entry.high;

  function* copyIntact(database: DatabaseSync): CompactionSteps<void> {
    let rows = 0;
    try {
      for (const row of intactRows(database, (ids) => unreadable.push(ids))) {
        if (isInSegment(row.id) && copyRow(row)) salvaged.add(row.id);
        rows += 1;
        if (rows % postsPerStep === 0) yield "worked";
      }
    } catch {
      unreadable.push({ from: entry.low - 1n, to: null });
    }
  }

  function missing(): bigint[] {
    if (posts !== null && posts === salvaged.size) return [];
    return [...indexedIds.sorted()].filter((id) => isInSegment(id) && !salvaged.has(id));
  }

  function* copyRaw(): CompactionSteps<void> {
    yield* inLock(catalog, () => {
      try {
        checkpointLog(path);
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
      const known = revisionsFromPages.get(id);
      if (!isInSegment(id) || salvaged.has(id) || (known !== undefined && known >= revision))
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
      if (known !== undefined) rewrite.findCopy(id).remove(id, hashUri);
      if (copyRow(row)) revisionsFromPages.set(id, revision);
    }
    for (const id of revisionsFromPages.keys()) salvaged.add(id);
  }

  function lost(): LostPosts | null {
    const found = missing()
      .filter((id) => !rewrite.findCopy(id).has(id))
      .map((id): LostPost => ({ id, uri: platform === "x" ? xUri(id) : (uris.get(id) ?? null) }));
    const expected = posts === null ? null : Math.max(posts - salvaged.size, 0);
    /** Whether posts that no list contains may be lost. */
    const isUnknown = expected === null ? indexedIds.size === 0 : expected > found.length;
    if (found.length === 0 && (unreadable.length === 0 || !isUnknown)) return null;
    return {
      count: Math.max(found.length, expected ?? 0),
      isExact: posts !== null,
      posts: found,
      spans: lostSpans(entry, found, isUnknown ? unreadable : [], context.clock.now()),
    };
  }

  return {
    copyRows,
    copyIngestOrder: (from) =>
      source === null ? noSteps() : copyReadableIngestOrder(source, rewrite, salvaged, from),
    isDamaged: () => !wasIntact,
    lost,
    close: () => source?.close(),
  };
}

function* noSteps(): CompactionSteps<void> {}
