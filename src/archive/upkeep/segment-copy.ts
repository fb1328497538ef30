import { closeSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { firstTimeMs, idTimeMs, type TimeSkew, tellsTime } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { decodeRecord, recordOrigin, recordUri } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { openForWriting } from "../database.ts";
import { type Arrivals, arrivalsIn } from "../segments/arrivals.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { mergeTerms } from "./merge-terms.ts";
import type { Steps } from "./steps.ts";

/** A row of a segment's posts as it lies there. */
export type StoredPost = {
  id: bigint;
  time_ms: bigint;
  likes: bigint | null;
  reposts: bigint | null;
  replies: bigint | null;
  quotes: bigint | null;
  revision: string;
  record: string;
};

/** How large what is kept in memory of a file may be while it is filled, and once it only follows, KiB. */
const fillingCacheKib = 16_000;
const followingCacheKib = 8_000;
/**
 * Posts, and steps of merging, after which the file is put on disk while it is filled: what is written to a disk all at once
 * keeps everybody else's commits waiting.
 */
const postsOfCommit = 20_000;
const stepsOfSync = 16;

/**
 * A segment file that is being made from another one. While it is filled nobody else knows it and a crash throws it away: it
 * has no journal, and what is written is put on disk bit by bit. `seal` makes a whole segment of it; from then on every
 * commit leaves one that could be used.
 */
export type SegmentCopy = {
  /** Adds a post that is not there, with terms made anew; what it was made from. */
  add(row: StoredPost): { uri: string; isNative: boolean };
  addUri(hash: bigint, id: bigint): void;
  hide(id: bigint): void;
  arrivals: Arrivals;
  holds(id: bigint): boolean;
  /** Removes a post with everything that is kept of it but its arrival. */
  remove(id: bigint, hashOf: (uri: string) => bigint): void;
  /** Merges the index into one piece and puts everything on disk. */
  seal(): Steps<void>;
  /** All of `work` in one commit, which is on disk when it returns. */
  commit(work: () => void): void;
  /** Writes down how many posts there are, and which count changes were added last. */
  setNumbers(counted: bigint): void;
  numbers(): { posts: number; imported: number };
  /** By how much the times of all posts that were ever added differ from those of their IDs. */
  skew(): TimeSkew;
  close(): void;
};

export function createSegmentCopy(path: string, platform: Platform): SegmentCopy {
  let database = create(path);
  let sql = prepareStatements(database);
  let arrivals = arrivalsIn(database);
  let isSealed = false;
  let uncommitted = 0;
  const numbers = { posts: 0, imported: 0 };
  const skew = { minMs: 0, maxMs: 0 };
  database.exec("BEGIN");

  const rowOf = (row: StoredPost) => ({
    id: row.id,
    platform,
    timeMs: Number(row.time_ms),
    counts: {
      likes: numberOrNull(row.likes),
      reposts: numberOrNull(row.reposts),
      replies: numberOrNull(row.replies),
      quotes: numberOrNull(row.quotes),
    },
    record: row.record,
  });

  function widen(id: bigint, timeMs: number): void {
    if (!tellsTime(id) && timeMs <= firstTimeMs) return;
    const off = timeMs - idTimeMs(id);
    skew.minMs = Math.min(skew.minMs, off);
    skew.maxMs = Math.max(skew.maxMs, off);
  }

  function count(record: string, by: 1 | -1): void {
    numbers.posts += by;
    if (recordOrigin(record) === "import") numbers.imported += by;
  }

  function add(row: StoredPost): { uri: string; isNative: boolean } {
    const post = decodeRecord(rowOf(row));
    const { id, time_ms, likes, reposts, replies, quotes, revision, record } = row;
    sql.insertPost.run(id, time_ms, likes, reposts, replies, quotes, revision, record);
    sql.insertTerms.run(id, indexTerms(post).join(" "));
    count(record, 1);
    widen(id, Number(time_ms));
    if (!isSealed) commitSome();
    return { uri: post.uri, isNative: post.nativeId !== null };
  }

  /** What lies in the system's memory only is little, whenever it is put on disk. */
  function commitSome(): void {
    uncommitted += 1;
    if (uncommitted < postsOfCommit) return;
    uncommitted = 0;
    database.exec("COMMIT");
    sync(path);
    database.exec("BEGIN");
  }

  function remove(id: bigint, hashOf: (uri: string) => bigint): void {
    const row = sql.row.get(id) as StoredPost | undefined;
    if (row === undefined) return;
    sql.deleteUri.run(hashOf(recordUri(rowOf(row))), id);
    sql.deletePost.run(id);
    sql.deleteTerms.run(id);
    sql.show.run(id);
    count(row.record, -1);
  }

  function* seal(): Steps<void> {
    database.exec("COMMIT");
    let steps = 0;
    for (const step of mergeTerms(database)) {
      yield step;
      steps += 1;
      if (steps % stepsOfSync === 0) sync(path);
    }
    database.close();
    sync(path);
    syncFolder(dirname(path));
    yield "worked";
    database = openForWriting(path, segmentMigrations, followingCacheKib);
    // Frames are moved into the file when nobody waits for it.
    database.exec("PRAGMA wal_autocheckpoint = 0");
    sql = prepareStatements(database);
    arrivals = arrivalsIn(database);
    isSealed = true;
  }

  return {
    add,
    addUri: (hash, id) => {
      sql.insertUri.run(hash, id);
    },
    hide: (id) => {
      sql.hide.run(id);
    },
    get arrivals() {
      return arrivals;
    },
    holds: (id) => sql.exists.get(id) !== undefined,
    remove,
    seal,
    commit: (work) => {
      database.exec("BEGIN IMMEDIATE");
      work();
      database.exec("COMMIT");
    },
    setNumbers: (counted) => {
      sql.set.run(numbers.posts, "posts");
      sql.set.run(numbers.imported, "imported");
      sql.set.run(counted, "counted");
    },
    numbers: () => numbers,
    skew: () => skew,
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Not `defensive`, which keeps a journal. */
function create(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  removeSegmentFiles(path);
  const database = new DatabaseSync(path);
  database.exec(
    `PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${fillingCacheKib}`,
  );
  for (const migration of segmentMigrations) database.exec(migration);
  database.exec(`PRAGMA user_version = ${segmentMigrations.length}`);
  return database;
}

/** A segment's file and what SQLite keeps beside it. */
export function removeSegmentFiles(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
}

function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

const numberOrNull = (value: bigint | null): number | null =>
  value === null ? null : Number(value);

function prepareStatements(database: DatabaseSync) {
  const row = database.prepare("SELECT * FROM post WHERE id = ?");
  row.setReadBigInts(true);
  return {
    row,
    exists: database.prepare("SELECT 1 FROM post WHERE id = ?"),
    insertPost: database.prepare("INSERT INTO post VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
    deletePost: database.prepare("DELETE FROM post WHERE id = ?"),
    insertTerms: database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)"),
    deleteTerms: database.prepare("DELETE FROM term WHERE rowid = ?"),
    insertUri: database.prepare("INSERT OR IGNORE INTO uri VALUES(?, ?)"),
    deleteUri: database.prepare("DELETE FROM uri WHERE hash = ? AND id = ?"),
    hide: database.prepare("INSERT OR IGNORE INTO hidden VALUES(?)"),
    show: database.prepare("DELETE FROM hidden WHERE id = ?"),
    set: database.prepare("UPDATE setting SET value = ? WHERE name = ?"),
  };
}
