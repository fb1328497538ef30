import type { DatabaseSync } from "node:sqlite";
import { preparesBigInts } from "../database.ts";
import { packIds, unpackIds } from "./ingest-order-ids.ts";

/**
 * The order in which the posts of a segment arrived: rows of posts that came in one batch, all with the number of the last of
 * them. A row is a run, `ids` null, where no other post lies between its first and its last: then what it holds is what lies
 * there. Whoever comes later and lies in a run makes a list of it first, so that runs never overlap.
 *
 * A row may name posts that are gone; they are passed over.
 */
export type IngestOrder = {
  /** The post whose row was written last, and that of no other new post since the call before; kept from `flush` on. */
  add(number: number, id: bigint): void;
  /** Writes down what was added. */
  flush(): void;
  /** Forgets what was added and not written down. */
  discard(): void;
  /** These posts, lowest ID first, arrived under a number. */
  put(number: number, ids: readonly bigint[]): void;
  /** Keeps the new post whose row was written last from being taken for one that came with its neighbours. */
  makeRoom(id: bigint): void;
  /** The post at `id`, now at `to`, keeps its number. */
  renumber(id: bigint, to: bigint): void;
  /** The numbers under which a post is told: one, unless it was deleted and has come again; none where that is forgotten. */
  numbersOf(id: bigint): number[];
  /** Tells a post under these numbers, and no others. */
  setNumbers(id: bigint, numbers: readonly number[]): void;
  /** Forgets arrivals of higher numbers. */
  forgetAfter(number: number): void;
  /** Forgets arrivals of lower numbers, at most so many rows; how many there were. */
  forgetBefore(number: number, rows: number): number;
};

/** Posts of one row: few enough that a page of arrivals does not read many for nothing. */
const mostPosts = 1_000;

/** `database` is a segment, open for writing; every call lies within a transaction. */
export function ingestOrderIn(database: DatabaseSync): IngestOrder {
  const sql = prepareStatements(database);
  let gathered: bigint[] = [];
  let last = 0;

  function add(number: number, id: bigint): void {
    makeRoom(id);
    if (gathered.length >= mostPosts || id <= (gathered.at(-1) ?? -1n)) flush();
    gathered.push(id);
    last = number;
  }

  function flush(): void {
    const ids = gathered;
    gathered = [];
    writeRow(last, ids);
  }

  function put(number: number, ids: readonly bigint[]): void {
    for (let start = 0; start < ids.length; start += mostPosts) {
      writeRow(number, ids.slice(start, start + mostPosts));
    }
  }

  function writeRow(number: number, ids: readonly bigint[]): void {
    const [low] = ids;
    const high = ids.at(-1);
    if (low === undefined || high === undefined) return;
    sql.insert.run(number, low, high, isRun(ids, low, high) ? null : packIds(low, ids));
  }

  /** What is left of another run, whose posts are gone, may lie between. */
  function isRun(ids: readonly bigint[], low: bigint, high: bigint): boolean {
    const below = sql.runBelow.get(high) as Row | undefined;
    if (below !== undefined && below.high >= low) return false;
    const there = idsOf(sql.postsWithin.all(low, high, ids.length + 1));
    return there.length === ids.length && there.every((id, index) => id === ids[index]);
  }

  function runAt(id: bigint): Row | null {
    const row = sql.runBelow.get(id) as Row | undefined;
    return row === undefined || row.high < id ? null : row;
  }

  function makeRoom(id: bigint): void {
    const run = runAt(id);
    if (run === null) return;
    const ids = idsOf(sql.postsWithin.all(run.low, run.high, everyPost));
    setIds(run, without(ids, id));
  }

  function setIds({ row, low }: Row, ids: readonly bigint[]): void {
    if (ids.length === 0) sql.remove.run(row);
    else sql.setIds.run(packIds(low, ids), row);
  }

  function listsWith(id: bigint): { row: Row; ids: bigint[] }[] {
    const rows = sql.listsAround.all(id, id) as (Row & { ids: Uint8Array })[];
    return rows
      .map((row) => ({ row, ids: unpackIds(row.low, row.ids) }))
      .filter(({ ids }) => ids.includes(id));
  }

  return {
    add,
    flush,
    discard: () => {
      gathered = [];
    },
    put,
    makeRoom,
    renumber: (id, to) => {
      flush();
      const [list] = listsWith(id);
      const number = list?.row.number ?? runAt(id)?.number;
      if (list !== undefined) setIds(list.row, without(list.ids, id));
      makeRoom(to);
      if (number !== undefined) put(Number(number), [to]);
    },
    numbersOf: (id) =>
      [runAt(id), ...listsWith(id).map(({ row }) => row)]
        .filter((row) => row !== null)
        .map(({ number }) => Number(number)),
    setNumbers: (id, numbers) => {
      makeRoom(id);
      for (const { row, ids } of listsWith(id)) setIds(row, without(ids, id));
      for (const number of numbers) put(number, [id]);
    },
    forgetAfter: (number) => {
      sql.forgetAfter.run(number);
    },
    forgetBefore: (number, rows) => Number(sql.forgetBefore.run(number, rows).changes),
  };
}

type Row = { row: bigint; number: bigint; low: bigint; high: bigint };

/** SQLite's way to say that a LIMIT is none. */
const everyPost = -1;

const idsOf = (rows: readonly Record<string, unknown>[]): bigint[] =>
  rows.map(({ id }) => id as bigint);

const without = (ids: readonly bigint[], id: bigint): bigint[] =>
  ids.filter((other) => other !== id);

function prepareStatements(database: DatabaseSync) {
  const prepare = preparesBigInts(database);
  return {
    insert: prepare("INSERT INTO arrival(number, low, high, ids) VALUES(?, ?, ?, ?)"),
    setIds: prepare("UPDATE arrival SET ids = ? WHERE rowid = ?"),
    remove: prepare("DELETE FROM arrival WHERE rowid = ?"),
    runBelow: prepare(
      `SELECT rowid AS row, number, low, high FROM arrival WHERE ids IS NULL AND low <= ?
       ORDER BY low DESC LIMIT 1`,
    ),
    listsAround: prepare(
      `SELECT rowid AS row, number, low, high, ids FROM arrival
       WHERE ids IS NOT NULL AND low <= ? AND high >= ?`,
    ),
    postsWithin: prepare("SELECT id FROM post WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?"),
    forgetAfter: prepare("DELETE FROM arrival WHERE number > ?"),
    forgetBefore: prepare(
      `DELETE FROM arrival WHERE rowid IN
         (SELECT rowid FROM arrival WHERE number < ? ORDER BY number LIMIT ?)`,
    ),
  };
}
