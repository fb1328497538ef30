import type { DatabaseSync } from "node:sqlite";
import { unpackIds } from "./ingest-order-ids.ts";

export type SegmentIngest = { number: number; id: bigint };

/** `ids` ascend. */
export type IngestBatch = { number: number; ids: bigint[] };

/** `to` is inclusive. With hidden posts, without deleted ones. */
export function ingestBatchReader(
  database: DatabaseSync,
): (from: number, to: number) => Iterable<IngestBatch> {
  return readRows(database, "");
}

export function segmentIngestOrder(
  database: DatabaseSync,
): (from: SegmentIngest, to: number, limit: number) => SegmentIngest[] {
  const rows = readRows(
    database,
    "AND NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = post.id)",
  );
  return (from, to, limit) => {
    const posts: SegmentIngest[] = [];
    for (const { number, ids } of rows(from.number, to)) {
      if (posts.length >= limit && posts.at(-1)?.number !== number) break;
      for (const id of ids) {
        if (number > from.number || id >= from.id) posts.push({ number, id });
      }
    }
    return posts.toSorted(compare).slice(0, limit);
  };
}

function compare(a: SegmentIngest, b: SegmentIngest): number {
  if (a.number !== b.number) return a.number - b.number;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function readRows(database: DatabaseSync, condition: string) {
  const prepare = (text: string) => {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return statement;
  };
  const selectBatches = prepare(
    "SELECT number, low, high, ids FROM ingest_order WHERE number BETWEEN ? AND ? ORDER BY number",
  );
  const selectRun = prepare(
    `SELECT id FROM post WHERE id BETWEEN ? AND ? ${condition} ORDER BY id`,
  );
  const selectList = prepare(
    `SELECT post.id FROM json_each(?) AS requested CROSS JOIN post ON post.id = requested.value
     WHERE true ${condition}`,
  );

  return function* ingestedIn(from: number, to: number): Generator<IngestBatch> {
    for (const row of selectBatches.iterate(from, to)) {
      const [number, low, high, ids] = row as unknown as StoredRow;
      const found =
        ids === null
          ? selectRun.all(low, high)
          : selectList.all(`[${unpackIds(low, ids).join(",")}]`);
      yield {
        number: Number(number),
        ids: found.map((values) => (values as unknown as [bigint])[0]),
      };
    }
  };
}

type StoredRow = [bigint, bigint, bigint, Uint8Array | null];
