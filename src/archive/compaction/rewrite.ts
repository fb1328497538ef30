import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { openMisplacedPosts } from "../catalog/misplaced.ts";
import { ingestBatchReader } from "../segments/ingest-order.ts";
import type { StoredRow } from "../segments/intact-rows.ts";
import { isMarkedDamaged, markedTables } from "../segments/integrity.ts";
import type { CompactionContext } from "./context.ts";
import { type Replacement, type RewriteReport, replaceSegment } from "./replace-segment.ts";
import { copyIngestBatch, type SegmentRewrite } from "./segment-rewrite.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

export type RewriteOptions = Pick<Replacement, "cuts" | "shouldKeep">;

/**
 * Copies rows, hidden posts and ingest order, and builds uris and terms from the rows. Errors:
 * those of `replaceSegment`, and `archive_damaged` if rows are missing or the list of hidden posts
 * is damaged.
 */
export const rewriteSegment = (
  context: CompactionContext,
  entry: SegmentEntry,
  { cuts, shouldKeep }: RewriteOptions,
): CompactionSteps<RewriteReport> =>
  replaceSegment(context, entry, {
    cuts,
    shouldKeep,
    terms: "any",
    shouldRenumber: true,
    *fill(rewrite, { ingestOrderFrom }) {
      const path = segmentPath(context.folder, entry);
      if (isMarkedDamaged(path)) requireComplete(rewrite.old, entry, markedTables(path));
      yield* copySegment(rewrite, ingestOrderFrom);
      for (const { copy } of rewrite.parts) yield* copy.complete();
      yield* listMisplaced(context, rewrite);
    },
  });

/** A copy would hide the loss. */
function requireComplete(
  segment: DatabaseSync,
  { platform, sequence }: SegmentEntry,
  damagedTables: readonly string[],
): void {
  const { rows, posts } =
    segment
      .prepare(
        "SELECT (SELECT count(*) FROM post) AS rows, (SELECT value FROM setting WHERE name = 'posts') AS posts",
      )
      .get() ?? {};
  const isHiddenDamaged = damagedTables.includes("hidden");
  if (rows === posts && !isHiddenDamaged) return;
  const name = `${platform}/${sequence}`;
  const damage = rows === posts ? "a damaged list of hidden posts" : `${rows} of ${posts} posts`;
  throw new EarshotError(
    "archive_damaged",
    `segment ${name} has ${damage} and is not rewritten, because that would hide the loss`,
    { hint: `restore a backup, or salvage it: earshot archive reindex --segment ${name}` },
  );
}

const postsPerCommit = 1_000;

/** Lists misplaced posts in the catalog, because archives of an earlier format do not. */
export function* listMisplaced(
  { catalog }: CompactionContext,
  { old, platform, misplaced: found, isSalvage, findCopy }: SegmentRewrite,
): CompactionSteps<void> {
  const misplaced = openMisplacedPosts(catalog);
  const selectPost = old.prepare("SELECT 1 FROM post WHERE id = ?");
  // A salvage changes no IDs, and the damaged table may be unreadable.
  const isStored = (id: bigint): boolean =>
    isSalvage ? findCopy(id).has(id) : selectPost.get(id) !== undefined;
  for (let start = 0; start < found.length; start += postsPerCommit) {
    yield* inLock(catalog, () => {
      for (const { hash, id } of found.slice(start, start + postsPerCommit)) {
        if (isStored(id)) misplaced.add(platform, hash, id);
      }
    });
    yield "worked";
  }
}

const postsPerStep = 250;
const rowsPerStep = 5_000;

export function* copySegment(
  rewrite: SegmentRewrite,
  ingestOrderFrom: number,
): CompactionSteps<void> {
  yield* copyPosts(rewrite);
  yield* copyHidden(rewrite);
  yield* copyIngestOrder(rewrite, ingestOrderFrom);
}

function* copyPosts({ old, copyRow, findCopy, hashUri }: SegmentRewrite): CompactionSteps<void> {
  const selectPosts = old.prepare("SELECT * FROM post WHERE id > ? ORDER BY id LIMIT ?");
  selectPosts.setReadBigInts(true);
  for (let last = -1n; ; ) {
    const rows = selectPosts.all(last, postsPerStep) as StoredRow[];
    for (const row of rows) {
      const copiedRow = copyRow(row);
      if (copiedRow !== null && !copiedRow.hasNativeId)
        findCopy(row.id).addUri(hashUri(copiedRow.uri), copiedRow.id);
    }
    yield "worked";
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

function* copyHidden({ old, findCopy, idInCopy }: SegmentRewrite): CompactionSteps<void> {
  const selectHidden = old.prepare(
    `SELECT id FROM hidden WHERE id > ? AND id NOT IN (SELECT id FROM changed)
     ORDER BY id LIMIT ?`,
  );
  selectHidden.setReadBigInts(true);
  for (let last = -1n; ; ) {
    const rows = selectHidden.all(last, rowsPerStep) as { id: bigint }[];
    for (const { id } of rows) {
      const copy = findCopy(id);
      const copyId = idInCopy(id);
      if (copyId !== null && copy.has(copyId)) copy.hide(copyId);
    }
    yield "worked";
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

function* copyIngestOrder(rewrite: SegmentRewrite, ingestOrderFrom: number): CompactionSteps<void> {
  const readBatches = ingestBatchReader(rewrite.old);
  for (let from = ingestOrderFrom; ; ) {
    let copiedCount = 0;
    let last = from;
    for (const batch of readBatches(from, rewrite.ingestNumberAtCopyStart)) {
      if (copiedCount >= rowsPerStep && batch.number !== last) break;
      last = batch.number;
      copiedCount += batch.ids.length;
      copyIngestBatch(rewrite, { ...batch, ids: batch.ids.filter(isStored) });
    }
    yield "worked";
    if (copiedCount < rowsPerStep) return;
    from = last + 1;
  }

  function isStored(id: bigint): boolean {
    const copyId = rewrite.idInCopy(id);
    return copyId !== null && rewrite.findCopy(id).has(copyId);
  }
}
