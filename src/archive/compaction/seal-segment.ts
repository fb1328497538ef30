import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { buildSealed } from "../sealed/build.ts";
import { isDamage, SealedDamageError } from "../sealed/damage.ts";
import { deletionBitmapWriter } from "../sealed/deletion-bitmap.ts";
import { openDocNumbers } from "../sealed/doc-numbers.ts";
import { UnreadableFtsError } from "../sealed/fts-structure.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { markDamaged } from "../segments/integrity.ts";
import { damagedTables } from "../segments/table-checksums.ts";
import { checkpointWal } from "./checkpoint-wal.ts";
import type { CompactionContext } from "./context.ts";
import { copyVerbatim } from "./copy-verbatim.ts";
import { type CopyStart, type RewriteReport, replaceSegment } from "./replace-segment.ts";
import type { SegmentCopy } from "./segment-copy.ts";
import { type CompactionSteps, inLock } from "./steps.ts";
import { clearUnreadable, recordUnreadable } from "./unreadable-index.ts";

const sourceCacheKib = 16_000;

/**
 * Copies a segment and builds the sealed index from the existing one. Skips segments with another
 * analyzer. Marks a damaged segment; requests a rewrite, once, if the FTS5 index is unreadable.
 * Errors: those of `replaceSegment`, `archive_damaged`, `SealedDamageError`, and
 * `UnreadableFtsError`.
 */
export function* sealSegment(
  context: CompactionContext,
  entry: SegmentEntry,
): CompactionSteps<RewriteReport> {
  const { catalog } = context;
  try {
    const report = yield* replaceSegment(context, entry, {
      cuts: [],
      shouldKeep: null,
      terms: "current",
      *fill({ parts }, start) {
        for (const { copy } of parts) yield* fillSealed(context, entry, copy, start);
      },
    });
    if (report.isDone) yield* inLock(catalog, () => clearUnreadable(catalog, entry));
    return report;
  } catch (error) {
    if (error instanceof UnreadableFtsError)
      yield* inLock(catalog, () => recordUnreadable(catalog, entry));
    throw error;
  }
}

function* fillSealed(
  { folder, catalog, clock }: CompactionContext,
  entry: SegmentEntry,
  copy: SegmentCopy,
  { ingestOrderFrom, skew }: CopyStart,
): CompactionSteps<void> {
  const path = segmentPath(folder, entry);
  const source = openForReading(path, sourceCacheKib);
  let isSealed = false;
  try {
    isSealed = sealedState(source) !== null;
    copy.widenSkew(skew);
    yield* copy.fillFrom(path, function* (target) {
      // Segments are written only under the catalog lock, so rows and index match.
      yield* inLock(catalog, () => {
        source.exec("BEGIN");
        source.prepare("SELECT count(*) FROM setting").get();
        target.prepare("SELECT count(*) FROM old.setting").get();
      });
      const ids = yield* copyVerbatim(target, ingestOrderFrom);
      const bytesBefore = databaseBytes(target);
      yield* buildSealed(source, target, ids, clock.now());
      yield* requireIntactTables(source, path);
      target
        .prepare("INSERT OR REPLACE INTO main.setting VALUES('sealed_bytes', ?)")
        .run(databaseBytes(target) - bytesBefore);
      yield* hideInBitmap(target, path);
    });
    yield* copy.complete();
  } catch (error) {
    if (error instanceof SealedDamageError || (isSealed && isDamage(error))) markDamaged(path);
    throw error;
  } finally {
    source.close();
  }
  checkpointWal(path);
  yield "worked";
}

/** Copies of damaged tables would get valid checksums. */
function* requireIntactTables(source: DatabaseSync, path: string): CompactionSteps<void> {
  const tables = yield* damagedTables(source);
  if (tables.length === 0) return;
  markDamaged(path, tables);
  throw new EarshotError(
    "archive_damaged",
    `the segment cannot be sealed because tables do not match their checksums: ${tables.join(", ")}`,
    {
      hint: "rewrite it with earshot archive reindex --segment …, or wait for compaction to do it",
    },
  );
}

const databaseBytes = (database: DatabaseSync): number =>
  Number(
    database
      .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
      .get()?.bytes,
  );

const hiddenPerStep = 5_000;

function* hideInBitmap(database: DatabaseSync, name: string): CompactionSteps<void> {
  const numbers = openDocNumbers(database, name, null);
  const bitmap = deletionBitmapWriter(database, numbers);
  const selectHidden = database.prepare("SELECT id FROM hidden ORDER BY id DESC");
  selectHidden.setReadBigInts(true);
  let count = 0;
  for (const { id } of selectHidden.iterate()) {
    bitmap.hide(id as bigint);
    count += 1;
    if (count % hiddenPerStep === 0) yield "worked";
  }
  bitmap.flush();
  numbers.close();
}
