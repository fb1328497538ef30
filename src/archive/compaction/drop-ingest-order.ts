import type { DatabaseSync } from "node:sqlite";
import { putSetting, readSetting, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { ingestOrderIn } from "../segments/ingest-order.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import type { CompactionContext } from "./context.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

const rowsPerStep = 1_000;

/**
 * Runs before rows are removed, so that no client gets a partial order. Moves the start in steps of
 * at least a tenth of the retained number.
 */
export function* raiseIngestOrderStart({
  catalog,
  bounds,
}: CompactionContext): CompactionSteps<void> {
  const newStart = Number(readSetting(catalog, "ingest_number")) - bounds.retainedIngestNumbers;
  const currentStart = Number(readSetting(catalog, "ingest_order_from"));
  if (newStart - currentStart < Math.max(1, bounds.retainedIngestNumbers / 10)) return;
  yield* inLock(catalog, () => putSetting(catalog, "ingest_order_from", newStart));
}

export function hasDroppedIngestOrder(folder: string, entry: SegmentEntry, start: number): boolean {
  if (start === 0) return false;
  const segment = openForReading(segmentPath(folder, entry), 100);
  try {
    return (
      segment.prepare("SELECT 1 FROM ingest_order WHERE number < ? LIMIT 1").get(start) !==
      undefined
    );
  } finally {
    segment.close();
  }
}

export function* dropIngestOrder(
  { folder, catalog }: CompactionContext,
  entry: SegmentEntry,
): CompactionSteps<void> {
  const start = Number(readSetting(catalog, "ingest_order_from"));
  const segment: DatabaseSync = openSegmentFile(segmentPath(folder, entry), 2_000);
  try {
    const ingestOrder = ingestOrderIn(segment);
    for (;;) {
      const removedRows = yield* inLock(segment, () =>
        ingestOrder.removeBefore(start, rowsPerStep),
      );
      yield "worked";
      if (removedRows === 0) return;
    }
  } finally {
    segment.close();
  }
}
