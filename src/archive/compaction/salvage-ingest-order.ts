import type { DatabaseSync } from "node:sqlite";
import { type IdList, lowerBound } from "../segments/id-list.ts";
import { unpackIds } from "../segments/ingest-order-ids.ts";
import { type FollowedSegment, putIngestOrder } from "./followed-segment.ts";
import type { Steps } from "./steps.ts";

/** Posts of one step. */
const postsOfStep = 5_000;

/**
 * Copies the arrivals of salvaged posts as far as they can be read, without the table of posts. A post whose arrival is lost is
 * found by every search, and passed over by clients that follow the order of arrival.
 */
export function* copyReadableIngestOrder(
  source: DatabaseSync,
  followed: FollowedSegment,
  salvaged: IdList,
  from: number,
): Steps<void> {
  const held = salvaged.sorted();
  let copied = 0;
  try {
    for (const { number, low, high, ids } of rowsIn(source)) {
      if (number < from || number > followed.arrival) continue;
      const run = held.subarray(lowerBound(held, low), lowerBound(held, high + 1n));
      const arrived =
        ids === null ? [...run] : unpackIds(low, ids).filter((id) => salvaged.has(id));
      if (arrived.length > 0) putIngestOrder(followed, { number: Number(number), ids: arrived });
      copied += arrived.length;
      if (copied < postsOfStep) continue;
      copied = 0;
      yield "worked";
    }
  } catch {
    // As far as they can be read.
  }
}

type ArrivalRow = { number: bigint; low: bigint; high: bigint; ids: Uint8Array | null };

function rowsIn(source: DatabaseSync): Iterable<ArrivalRow> {
  const rows = source.prepare("SELECT number, low, high, ids FROM arrival ORDER BY rowid");
  rows.setReadBigInts(true);
  return rows.iterate() as Iterable<unknown> as Iterable<ArrivalRow>;
}
