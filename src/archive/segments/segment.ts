import type { DatabaseSync } from "node:sqlite";
import { matches } from "@earshot/query/match";
import type { PlanNode } from "@earshot/query/plan";
import type { IdRange } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";
import { openForReading } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { type ReadRows, rowsReader } from "./checked-rows.ts";
import { type SegmentCounter, segmentCounter } from "./count.ts";
import { type IndexCost, indexCost } from "./index-cost.ts";
import { type SegmentIngest, segmentIngestOrder } from "./ingest-order.ts";
import { markDamaged } from "./integrity.ts";
import { indexedPostChecker, type PostLookup, segmentLookup } from "./lookup.ts";
import { rowSubject } from "./row-subject.ts";
import {
  createSealedCaches,
  openSealedIndexReader,
  type SealedCaches,
} from "./sealed-index-reader.ts";
import { type SegmentAnswer, type SegmentQuery, segmentSearch } from "./search-segment.ts";
import { checksummedTables, damagedTables } from "./table-checksums.ts";

export type Segment = {
  /** Finds posts newest first. */
  search(query: SegmentQuery, range: IdRange, limit: number, expired: () => boolean): SegmentAnswer;
  rows(ids: readonly bigint[]): ReadRows;
  counter: SegmentCounter;
  lookup: PostLookup<{ id: bigint }>;
  ingestOrder(from: SegmentIngest, to: number, limit: number): SegmentIngest[];
  /**
   * Verifies tables without row checksums, once per process, and marks the segment if one is
   * damaged.
   */
  verify(isSliceOver: () => boolean): Iterable<void>;
  resizeCache(kib: number): void;
  close(): void;
};

const verificationCacheKib = 500;

function* readDamagedTables(path: string, isSliceOver: () => boolean): Generator<void, string[]> {
  const database = openForReading(path, verificationCacheKib);
  try {
    database.exec("BEGIN");
    const steps = damagedTables(database);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (isSliceOver()) yield;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [...checksummedTables];
  } finally {
    database.close();
  }
}

/**
 * Every call sees the last commit and never waits for a writer. `estimateCost` decides which
 * queries FTS5 may answer in one statement.
 */
export function openSegment(
  path: string,
  platform: Platform,
  cacheKib: number,
  caches: SealedCaches = createSealedCaches(),
  estimateCost: (database: DatabaseSync) => IndexCost = indexCost,
): Segment {
  const database = openForReading(path, cacheKib);
  const cost = estimateCost(database);
  const sealed = openSealedIndexReader(database, path, caches);
  const rows = rowsReader(database, platform, indexedPostChecker(database, sealed));

  function close(): void {
    sealed?.close();
    database.close();
  }

  function* verify(isSliceOver: () => boolean): Generator<void, void> {
    if (caches.verifiedPaths.has(path)) return;
    yield* caches.verifiedFiles.once(path, function* () {
      const tables = yield* readDamagedTables(path, isSliceOver);
      if (tables.length > 0) markDamaged(path, tables);
    });
    sealed?.recheckMarker();
    caches.verifiedPaths.add(path);
  }

  const isMatch = (plan: PlanNode, row: RecordRow): boolean => matches(plan, rowSubject(row));
  return {
    search: segmentSearch(database, { path, sealed, rows, cost }),
    rows,
    counter: segmentCounter(database, { path, sealed, rows, isMatch, cost }),
    ingestOrder: segmentIngestOrder(database),
    lookup: segmentLookup(database, platform),
    verify,
    resizeCache: (kib) => database.exec(`PRAGMA cache_size = -${kib}`),
    close,
  };
}
