import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import type { IngestedPost } from "../archive.ts";
import { readSetting, type SegmentEntry } from "../catalog/catalog.ts";
import type { Segment } from "../segments/segment.ts";

/**
 * Omits uncommitted numbers, which may be reissued after a crash. Errors: `ingest_order_dropped`.
 */
export function readIngestOrder(
  catalog: DatabaseSync,
  entries: readonly SegmentEntry[],
  open: (entry: SegmentEntry) => Segment,
  after: IngestedPost | null,
  limit: number,
): IngestedPost[] {
  const lastNumber = Number(readSetting(catalog, "ingest_number"));
  const firstNumber = Number(readSetting(catalog, "ingest_order_from"));
  if (after !== null && after.number < firstNumber) {
    throw new EarshotError(
      "ingest_order_dropped",
      "the position is older than the retained ingest order",
      {
        status: 410,
        hint: "restart without a position",
      },
    );
  }
  const start = after ?? { number: firstNumber, id: 0n };
  return entries
    .flatMap((entry) =>
      open(entry)
        .ingestOrder(start, lastNumber, limit + 1)
        .map(({ number, id }) => ({ number, id, platform: entry.platform })),
    )
    .sort(compare)
    .filter((post) => after === null || compare(post, after) > 0)
    .slice(0, limit);
}

function compare(a: IngestedPost, b: IngestedPost): number {
  if (a.number !== b.number) return a.number - b.number;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return a.platform < b.platform ? -1 : a.platform > b.platform ? 1 : 0;
}
