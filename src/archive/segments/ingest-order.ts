import type { DatabaseSync } from "node:sqlite";
import { bigIntPreparer } from "../database.ts";
import { packIds, unpackIds } from "./ingest-order-ids.ts";

/**
 * Each row has the ingest number of its last post. A row without `ids` is a run: all
 * posts between its first and last IDs. Runs never overlap: before a post is inserted into a run,
 * the run becomes a list. Rows may list deleted posts.
 */
export type IngestOrder = {
  add(number: number, id: bigint): void;
  flush(): void;
  discard(): void;
  /** `ids` must ascend. */
  put(number: number, ids: readonly bigint[]): void;
  /** Call with the ID of a new post: a run around it becomes a list without it. */
  removeFromRun(id: bigint): void;
  renumber(id: bigint, newId: bigint): void;
  findNumbers(id: bigint): number[];
  setNumbers(id: bigint, numbers: readonly number[]): void;
  removeAfter(number: number): void;
  removeBefore(number: number, rows: number): number;
};

const maxPosts = 1_000;

/** Requires a write transaction. */
export function ingestOrderIn(database: DatabaseSync): IngestOrder {
  const sql = prepareStatements(database);
  let pendingIds: bigint[] = [];
  let lastNumber = 0;

  function add(number: number, id: bigint): void {
    removeFromRun(id);
    if (pendingIds.length >= maxPosts || id <= (pendingIds.at(-1) ?? -1n)) flush();
    pendingIds.push(id);
    lastNumber = number;
  }

  function flush(): void {
    const ids = pendingIds;
    pendingIds = [];
    writeRow(lastNumber, ids);
  }

  function put(number: number, ids: readonly bigint[]): void {
    for (let start = 0; start < ids.length; start += maxPosts) {
      writeRow(number, ids.slice(start, start + maxPosts));
    }
  }

  function writeRow(number: number, ids: readonly bigint[]): void {
    const [low] = ids;
    const high = ids.at(-1);
    if (low === undefined || high === undefined) return;
    sql.insertRow.run(number, low, high, isRun(ids, low, high) ? null : packIds(low, ids));
  }

  function isRun(ids: readonly bigint[], low: bigint, high: bigint): boolean {
    const nearestRun = sql.selectRunBelow.get(high) as Row | undefined;
    if (nearestRun !== undefined && nearestRun.high >= low) return false;
    const storedIds = listIds(sql.selectIdRange.all(low, high, ids.length + 1));
    return storedIds.length === ids.length && storedIds.every((id, index) => id === ids[index]);
  }

  function runAt(id: bigint): Row | null {
    const row = sql.selectRunBelow.get(id) as Row | undefined;
    return row === undefined || row.high < id ? null : row;
  }

  function removeFromRun(id: bigint): void {
    const run = runAt(id);
    if (run === null) return;
    const ids = listIds(sql.selectIdRange.all(run.low, run.high, noLimit));
    setIds(run, withoutId(ids, id));
  }

  function setIds({ row, low }: Row, ids: readonly bigint[]): void {
    if (ids.length === 0) sql.deleteRow.run(row);
    else sql.updateIds.run(packIds(low, ids), row);
  }

  function listsWith(id: bigint): { row: Row; ids: bigint[] }[] {
    const rows = sql.selectListsAround.all(id, id) as (Row & { ids: Uint8Array })[];
    return rows
      .map((row) => ({ row, ids: unpackIds(row.low, row.ids) }))
      .filter(({ ids }) => ids.includes(id));
  }

  return {
    add,
    flush,
    discard: () => {
      pendingIds = [];
    },
    put,
    removeFromRun,
    renumber: (id, newId) => {
      flush();
      const [list] = listsWith(id);
      const number = list?.row.number ?? runAt(id)?.number;
      if (list !== undefined) setIds(list.row, withoutId(list.ids, id));
      removeFromRun(newId);
      if (number !== undefined) put(Number(number), [newId]);
    },
    findNumbers: (id) =>
      [runAt(id), ...listsWith(id).map(({ row }) => row)]
        .filter((row) => row !== null)
        .map(({ number }) => Number(number)),
    setNumbers: (id, numbers) => {
      removeFromRun(id);
      for (const { row, ids } of listsWith(id)) setIds(row, withoutId(ids, id));
      for (const number of numbers) put(number, [id]);
    },
    removeAfter: (number) => {
      sql.deleteAfter.run(number);
    },
    removeBefore: (number, rows) => Number(sql.deleteBefore.run(number, rows).changes),
  };
}

type Row = { row: bigint; number: bigint; low: bigint; high: bigint };

const noLimit = -1;

const listIds = (rows: readonly Record<string, unknown>[]): bigint[] =>
  rows.map(({ id }) => id as bigint);

const withoutId = (ids: readonly bigint[], id: bigint): bigint[] =>
  ids.filter((other) => other !== id);

function prepareStatements(database: DatabaseSync) {
  const prepare = bigIntPreparer(database);
  return {
    insertRow: prepare("INSERT INTO ingest_order(number, low, high, ids) VALUES(?, ?, ?, ?)"),
    updateIds: prepare("UPDATE ingest_order SET ids = ? WHERE rowid = ?"),
    deleteRow: prepare("DELETE FROM ingest_order WHERE rowid = ?"),
    selectRunBelow: prepare(
      `SELECT rowid AS row, number, low, high FROM ingest_order WHERE ids IS NULL AND low <= ?
       ORDER BY low DESC LIMIT 1`,
    ),
    selectListsAround: prepare(
      `SELECT rowid AS row, number, low, high, ids FROM ingest_order
       WHERE ids IS NOT NULL AND low <= ? AND high >= ?`,
    ),
    selectIdRange: prepare("SELECT id FROM post WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?"),
    deleteAfter: prepare("DELETE FROM ingest_order WHERE number > ?"),
    deleteBefore: prepare(
      `DELETE FROM ingest_order WHERE rowid IN
         (SELECT rowid FROM ingest_order WHERE number < ? ORDER BY number LIMIT ?)`,
    ),
  };
}

export type SegmentIngest = { number: number; id: bigint };

/** `ids` ascend. */
export type IngestBatch = { number: number; ids: bigint[] };

/** `to` is inclusive. Includes hidden posts, but not deleted ones. */
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
      const idRows =
        ids === null
          ? selectRun.all(low, high)
          : selectList.all(`[${unpackIds(low, ids).join(",")}]`);
      yield {
        number: Number(number),
        ids: idRows.map((values) => (values as unknown as [bigint])[0]),
      };
    }
  };
}

type StoredRow = [bigint, bigint, bigint, Uint8Array | null];
