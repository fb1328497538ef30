import type { DatabaseSync } from "node:sqlite";
import { xUri } from "../../posts/ids.ts";
import { accountsOf } from "../catalog/accounts.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { labelsOf } from "../catalog/labels.ts";
import { moderationOf } from "../catalog/moderation.ts";
import { tombstonesOf } from "../catalog/tombstones.ts";
import { createIdList, type IdList } from "../segments/id-list.ts";
import { intactRows, type StoredRow, type UnreadableIds } from "../segments/intact-rows.ts";
import { knownIds } from "../segments/known-ids.ts";
import { isFreeListIntact, rawRows } from "../segments/raw-rows.ts";
import { emptyLog } from "./checkpoint-log.ts";
import type { CompactionContext } from "./context.ts";
import { type LostPost, type LostPosts, spansOfLost } from "./lost-posts.ts";
import { decodedRow, hiddenIn, numberIn, openDamaged, uriEntries } from "./read-damaged.ts";
import { copyReadableIngestOrder } from "./salvage-ingest-order.ts";
import type { SegmentRewrite } from "./segment-rewrite.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

const postsOfStep = 250;

export type Salvage = {
  copyRows(): CompactionSteps<void>;
  copyIngestOrder(from: number): CompactionSteps<void>;
  isDamaged(): boolean;
  lost(): LostPosts | null;
  close(): void;
};

/** Reads one snapshot of the damaged segment, which begins now. */
export function createSalvage(
  context: CompactionContext,
  entry: SegmentEntry,
  rewrite: SegmentRewrite,
): Salvage {
  const { folder, catalog, hashOf } = context;
  const { platform } = entry;
  const path = segmentPath(folder, entry);
  const accounts = accountsOf(catalog);
  const labels = labelsOf(catalog);
  const salvaged = createIdList();
  const unreadable: UnreadableIds[] = [];
  const source = openDamaged(path);
  const wasHidden = hiddenIn(source);
  let indexedIds: IdList = createIdList();
  let posts: number | null = null;
  let wasWhole = false;
  const fromPages = new Map<bigint, string>();
  const uris = new Map<bigint, string>();

  function copyRow(row: StoredRow): boolean {
    const { id } = row;
    const read = decodedRow(row, platform);
    const added = read === null ? null : rewrite.copyRow(row);
    if (read === null || added === null) return false;
    const copy = rewrite.copyOf(id);
    if (!added.hasNativeId) copy.addUri(hashOf(added.uri), id);
    const userId = read.userId?.toLowerCase() ?? null;
    const { hidden } = moderationOf({ platform, uri: added.uri, userId }, accounts, labels);
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
    wasWhole = unreadable.length === 0 && missing().length === 0;
    if (!wasWhole) yield* copyRaw();
  }

  const isOwn = (id: bigint): boolean => id >= entry.low && id <= entry.high;

  function* copyIntact(database: DatabaseSync): CompactionSteps<void> {
    let rows = 0;
    try {
      for (const row of intactRows(database, (ids) => unreadable.push(ids))) {
        if (isOwn(row.id) && copyRow(row)) salvaged.add(row.id);
        rows += 1;
        if (rows % postsOfStep === 0) yield "worked";
      }
    } catch {
      unreadable.push({ from: entry.low - 1n, to: null });
    }
  }

  function missing(): bigint[] {
    if (posts !== null && posts === salvaged.size) return [];
    return [...indexedIds.sorted()].filter((id) => isOwn(id) && !salvaged.has(id));
  }

  function* copyRaw(): CompactionSteps<void> {
    yield* inLock(catalog, () => {
      try {
        emptyLog(path);
      } catch {
        // The log is unreadable as well.
      }
    });
    // Deleted rows survive only on free pages. If all of those are known, or no list is readable,
    // rows without a tombstone are taken even if no list names them.
    const mayBeUnnamed = source === null || isFreeListIntact(path);
    const tombstones = tombstonesOf(catalog, platform, accounts);
    const isEntered = uriEntries(source);
    let rows = 0;
    for (const { row, isIntact } of rawRows(path)) {
      rows += 1;
      if (rows % postsOfStep === 0) yield "worked";
      const { id, revision } = row;
      const known = fromPages.get(id);
      if (!isOwn(id) || salvaged.has(id) || (known !== undefined && known >= revision)) continue;
      const post = decodedRow(row, platform);
      if (post === null) continue;
      if (isIntact === false) {
        if (isEntered(hashOf(post.uri), id)) uris.set(id, post.uri);
        continue;
      }
      const { uri, userId } = post;
      const isRemoved = (): boolean =>
        tombstones.cover({ uri, revision, userId, observedMs: Number(row.time_ms) });
      if (!indexedIds.has(id) && (isIntact === null || !mayBeUnnamed || isRemoved())) continue;
      if (known !== undefined) rewrite.copyOf(id).remove(id, hashOf);
      if (copyRow(row)) fromPages.set(id, revision);
    }
    for (const id of fromPages.keys()) salvaged.add(id);
  }

  function lost(): LostPosts | null {
    const found = missing()
      .filter((id) => !rewrite.copyOf(id).has(id))
      .map((id): LostPost => ({ id, uri: platform === "x" ? xUri(id) : (uris.get(id) ?? null) }));
    const expected = posts === null ? null : Math.max(posts - salvaged.size, 0);
    /** More may be lost than the lists name. */
    const isUnknown = expected === null ? indexedIds.size === 0 : expected > found.length;
    if (found.length === 0 && (unreadable.length === 0 || !isUnknown)) return null;
    return {
      count: Math.max(found.length, expected ?? 0),
      isExact: posts !== null,
      posts: found,
      spans: spansOfLost(entry, found, isUnknown ? unreadable : [], context.clock.now()),
    };
  }

  return {
    copyRows,
    copyIngestOrder: (from) =>
      source === null ? nothing() : copyReadableIngestOrder(source, rewrite, salvaged, from),
    isDamaged: () => !wasWhole,
    lost,
    close: () => source?.close(),
  };
}

function* nothing(): CompactionSteps<void> {}
