import type { DatabaseSync } from "node:sqlite";
import type { IdRange } from "../../posts/ids.ts";
import { matches } from "../../posts/matcher.ts";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";
import type { PlanNode } from "../../query/plan.ts";
import { openForReading } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { type SegmentCounter, segmentCounter } from "./count.ts";
import { markDamaged } from "./damage-marker.ts";
import { type IndexCost, indexCost } from "./index-cost.ts";
import type { PostLookup } from "./lookup.ts";
import { segmentLookup } from "./lookup.ts";
import { namedPosts } from "./named-posts.ts";
import { type SegmentIngest, segmentIngestOrder } from "./read-ingest-order.ts";
import { type RowsRead, rowsReader } from "./read-rows.ts";
import { rowSubject } from "./row-subject.ts";
import { createSealedMemory, openSealedPart, type SealedMemory } from "./sealed-part.ts";
import { type SegmentAnswer, type SegmentQuery, segmentSearch } from "./search-segment.ts";
import { damagedTables, summedTables } from "./table-sums.ts";

/** A segment that is open for reading. What is hidden is neither found nor told, but by `lookup`. */
export type Segment = {
  /** The newest `limit` posts of a range of IDs that match, newest first. */
  search(query: SegmentQuery, range: IdRange, limit: number, expired: () => boolean): SegmentAnswer;
  /** The rows of these posts in this order; those that are gone are left out, those that are damaged are named. */
  rows(ids: readonly bigint[]): RowsRead;
  counter: SegmentCounter;
  /** Posts by ID and by uri, hidden ones too. */
  lookup: PostLookup<{ id: bigint }>;
  /** Posts by the number of their arrival: from a number and an ID on, up to a number. */
  arrivals(from: SegmentIngest, to: number, limit: number): SegmentIngest[];
  /**
   * Verifies what has no checksums of its own against the sums of its tables, once a process; the segment is marked where they differ, and
   * searched row by row from then on. Yields when `isSliceOver` says so.
   */
  verify(isSliceOver: () => boolean): Iterable<void>;
  resizeCache(kib: number): void;
  close(): void;
};

/** Page cache while tables are read through once, KiB. */
const verifyingCacheKib = 500;

/** The tables of a segment that do not match their sums, or cannot be read; on a connection of its own, as others go on. */
function* damagedTablesOf(path: string, isSliceOver: () => boolean): Generator<void, string[]> {
  const database = openForReading(path, verifyingCacheKib);
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
    return [...summedTables];
  } finally {
    database.close();
  }
}

/**
 * Opens a segment for reading. Every call sees the last commit; none waits for a writer. `memory` is shared by the segments that
 * a thread has open; `costOf` decides which queries FTS5 may answer in one statement.
 */
export function openSegment(
  path: string,
  platform: Platform,
  cacheKib: number,
  memory: SealedMemory = createSealedMemory(),
  costOf: (database: DatabaseSync) => IndexCost = indexCost,
): Segment {
  const database = openForReading(path, cacheKib);
  const cost = costOf(database);
  const sealed = openSealedPart(database, path, memory);
  const rows = rowsReader(database, platform, namedPosts(database, sealed));

  function close(): void {
    sealed?.close();
    database.close();
  }

  function* verify(isSliceOver: () => boolean): Generator<void, void> {
    if (memory.verifiedHere.has(path)) return;
    yield* memory.verified.once(path, function* () {
      const tables = yield* damagedTablesOf(path, isSliceOver);
      if (tables.length > 0) markDamaged(path, tables);
    });
    sealed?.lookAgain();
    memory.verifiedHere.add(path);
  }

  const isMatch = (plan: PlanNode, row: RecordRow): boolean => matches(plan, rowSubject(row));
  return {
    search: segmentSearch(database, { path, sealed, rows, cost }),
    rows,
    counter: segmentCounter(database, { path, sealed, rows, isMatch, cost }),
    arrivals: segmentIngestOrder(database),
    lookup: segmentLookup(database, platform),
    verify,
    resizeCache: (kib) => database.exec(`PRAGMA cache_size = -${kib}`),
    close,
  };
}
