import type { IdRange } from "../../posts/ids.ts";
import { matches } from "../../posts/matcher.ts";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";
import type { PlanNode } from "../../query/plan.ts";
import { openForReading } from "../database.ts";
import type { HeldLookup } from "../placement.ts";
import { type SegmentCounter, segmentCounter } from "./count.ts";
import { segmentLookup } from "./lookup.ts";
import { namedPosts } from "./named-posts.ts";
import { type SegmentArrival, segmentArrivals } from "./read-arrivals.ts";
import { type RowsRead, rowsReader } from "./read-rows.ts";
import { rowSubject } from "./row-subject.ts";
import { createSealedMemory, openSealedPart, type SealedMemory } from "./sealed-part.ts";
import { type SegmentAnswer, type SegmentQuery, segmentSearch } from "./search-segment.ts";

/** A segment that is open for reading. What is hidden is neither found nor told, but by `lookup`. */
export type Segment = {
  /** The newest `limit` posts of a range of IDs that match, newest first. */
  search(query: SegmentQuery, range: IdRange, limit: number, expired: () => boolean): SegmentAnswer;
  /** The rows of these posts in this order; those that are gone are left out, those that are damaged are named. */
  rows(ids: readonly bigint[]): RowsRead;
  counter: SegmentCounter;
  /** Posts by ID and by uri, hidden ones too. */
  lookup: HeldLookup<{ id: bigint }>;
  /** Posts by the number of their arrival: from a number and an ID on, up to a number. */
  arrivals(from: SegmentArrival, to: number, limit: number): SegmentArrival[];
  close(): void;
};

/**
 * Opens a segment for reading. Every call sees the last commit; none waits for a writer. `memory` is shared by the segments that
 * a thread has open.
 */
export function openSegment(
  path: string,
  platform: Platform,
  cacheKib: number,
  memory: SealedMemory = createSealedMemory(),
): Segment {
  const database = openForReading(path, cacheKib);
  const sealed = openSealedPart(database, path, memory);
  const rows = rowsReader(database, platform, namedPosts(database, sealed));

  function close(): void {
    sealed?.close();
    database.close();
  }

  const isMatch = (plan: PlanNode, row: RecordRow): boolean => matches(plan, rowSubject(row));
  return {
    search: segmentSearch(database, { path, sealed, rows }),
    rows,
    counter: segmentCounter(database, { path, sealed, rows, isMatch }),
    arrivals: segmentArrivals(database),
    lookup: segmentLookup(database, platform),
    close,
  };
}
