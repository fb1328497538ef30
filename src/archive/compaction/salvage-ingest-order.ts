import type { DatabaseSync } from "node:sqlite";
import { type IdList, lowerBound } from "../segments/id-list.ts";
import { unpackIds } from "../segments/ingest-order-ids.ts";
import { copyIngestBatch, type SegmentRewrite } from "./segment-rewrite.ts";
import type { CompactionSteps } from "./steps.ts";

const postsPerStep = 5_000;

/**
 * Does not read the post table. Clients that follow the order skip posts without an ingest number.
 */
export function* copyReadableIngestOrder(
  source: DatabaseSync,
  rewrite: SegmentRewrite,
  salvagedIds: IdList,
  from: number,
): CompactionSteps<void> {
  const sortedIds = salvagedIds.sorted();
  let copiedCount = 0;
  try {
    for (const { number, low, high, ids } of rowsIn(source)) {
      if (number < from || number > rewrite.ingestNumberAtCopyStart) continue;
      const run = sortedIds.subarray(lowerBound(sortedIds, low), lowerBound(sortedIds, high + 1n));
      const foundIds =
        ids === null ? [...run] : unpackIds(low, ids).filter((id) => salvagedIds.has(id));
      if (foundIds.length > 0) copyIngestBatch(rewrite, { number: Number(number), ids: foundIds });
      copiedCount += foundIds.length;
      if (copiedCount < postsPerStep) continue;
      copiedCount = 0;
      yield "worked";
    }
  } catch {
    // The readable part suffices.
  }
}

type IngestOrderRow = { number: bigint; low: bigint; high: bigint; ids: Uint8Array | null };

function rowsIn(source: DatabaseSync): Iterable<IngestOrderRow> {
  const selectRows = source.prepare(
    "SELECT number, low, high, ids FROM ingest_order ORDER BY rowid",
  );
  selectRows.setReadBigInts(true);
  return selectRows.iterate() as Iterable<unknown> as Iterable<IngestOrderRow>;
}
