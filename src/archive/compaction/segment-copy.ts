import { closeSync, fdatasyncSync, fsyncSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { makePrivate, makePrivateFolder } from "../../db/connection.ts";
import { firstTimeMs, hasTime, idTimeMs, type TimeSkew } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { decodeRecord, recordOrigin, recordUri } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { inTransaction, openForWriting } from "../database.ts";
import { type DeletionBitmapWriter, deletionBitmapWriter } from "../sealed/deletion-bitmap.ts";
import { openDocNumbers } from "../sealed/doc-numbers.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { damagedRow, defineRowChecksum, rowChecksum } from "../segments/checked-rows.ts";
import { type IngestOrder, ingestOrderIn } from "../segments/ingest-order.ts";
import type { StoredRow } from "../segments/intact-rows.ts";
import { damageMarkerPath } from "../segments/integrity.ts";
import { segmentMigrations } from "../segments/schema.ts";
import {
  type SegmentIdentity,
  unfinishedSetting,
  writeIdentity,
} from "../segments/segment-file.ts";
import { openTableChecksums, updateTableChecksums } from "../segments/table-checksums.ts";
import { fileBytes } from "./files.ts";
import { mergeTermIndex } from "./optimise.ts";
import type { CompactionSteps } from "./steps.ts";

const fillCacheKib = 16_000;
const catchUpCacheKib = 8_000;
const postsPerCommit = 20_000;
const stepsPerSync = 16;
const bytesPerSync = 2 * 1024 ** 2;

/**
 * A new segment file. While it is being filled, it has no journal, and is discarded after a crash.
 * After `complete`, every commit leaves a usable segment.
 */
export type SegmentCopy = {
  add(row: StoredRow, id: bigint): { uri: string; hasNativeId: boolean };
  addUri(hash: bigint, id: bigint): void;
  hide(id: bigint): void;
  ingestOrder: IngestOrder;
  has(id: bigint): boolean;
  /** Both bounds are inclusive. */
  idsWithin(from: bigint, to: bigint): bigint[];
  remove(id: bigint, hashUri: (uri: string) => bigint): string | null;
  /**
   * Runs `work` in one transaction, with the segment at `path` attached as `old`. The snapshot of
   * `old` begins with the first statement that reads it.
   */
  fillFrom(
    path: string,
    work: (database: DatabaseSync) => CompactionSteps<void>,
  ): CompactionSteps<void>;
  /** The database, in a transaction that `complete` commits. */
  open(): DatabaseSync;
  widenSkew(skew: TimeSkew): void;
  complete(): CompactionSteps<void>;
  commit(work: () => void): void;
  writeSettings(countBatch: bigint, numbering: number): void;
  takeDeletions(copyTo: (database: DatabaseSync) => void): void;
  identify(identity: SegmentIdentity): void;
  postTotals(): { posts: number; imported: number };
  skew(): TimeSkew;
  close(): void;
};

export function createSegmentCopy(path: string, platform: Platform): SegmentCopy {
  let database = create(path);
  let sql = prepareStatements(database);
  let tableChecksums = openTableChecksums(database);
  let ingestOrder = ingestOrderIn(database);
  let isComplete = false;
  let bitmap: DeletionBitmapWriter | null = null;
  let uncommittedPosts = 0;
  const totals = { posts: 0, imported: 0 };
  const skew = { minMs: 0, maxMs: 0 };
  database.exec("BEGIN");

  const makeRow = (row: StoredRow) => ({
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

  function includeTime(id: bigint, timeMs: number): void {
    if (!hasTime(id) && timeMs <= firstTimeMs) return;
    const offsetMs = timeMs - idTimeMs(id);
    widenSkew({ minMs: offsetMs, maxMs: offsetMs });
  }

  function widenSkew({ minMs, maxMs }: TimeSkew): void {
    skew.minMs = Math.min(skew.minMs, minMs);
    skew.maxMs = Math.max(skew.maxMs, maxMs);
  }

  function count(record: string, delta: 1 | -1): void {
    totals.posts += delta;
    if (recordOrigin(record) === "import") totals.imported += delta;
  }

  function add(row: StoredRow, id: bigint): { uri: string; hasNativeId: boolean } {
    const { time_ms, likes, reposts, replies, quotes, revision, record } = row;
    const storedChecksum = rowChecksum({ ...row, timeMs: time_ms });
    if (row.sum !== null && Number(row.sum) !== storedChecksum) throw damagedRow(row.id);
    const sum = id === row.id ? storedChecksum : rowChecksum({ ...row, id, timeMs: time_ms });
    const post = decodeRecord(makeRow(row));
    sql.insertPost.run(id, time_ms, likes, reposts, replies, quotes, revision, record, sum);
    sql.insertTerms.run(id, indexTerms(post).join(" "));
    bitmap?.replace(id);
    count(record, 1);
    includeTime(id, Number(time_ms));
    if (!isComplete) commitPeriodically();
    return { uri: post.uri, hasNativeId: post.nativeId !== null };
  }

  function commitPeriodically(): void {
    uncommittedPosts += 1;
    if (uncommittedPosts < postsPerCommit) return;
    uncommittedPosts = 0;
    database.exec("COMMIT");
    sync(path);
    database.exec("BEGIN");
  }

  function remove(id: bigint, hashUri: (uri: string) => bigint): string | null {
    bitmap?.replace(id);
    const row = sql.selectPost.get(id) as StoredRow | undefined;
    if (row === undefined) return null;
    const uri = recordUri(makeRow(row));
    sql.deleteUri.run(hashUri(uri), id);
    sql.deletePost.run(id);
    sql.deleteTerms.run(id);
    sql.deleteHidden.run(id);
    count(row.record, -1);
    return uri;
  }

  function* fillFrom(
    from: string,
    work: (database: DatabaseSync) => CompactionSteps<void>,
  ): CompactionSteps<void> {
    database.exec("COMMIT");
    defineRowChecksum(database);
    database.prepare("ATTACH ? AS old").run(`${pathToFileURL(from)}?mode=ro`);
    database.exec("BEGIN");
    yield* withSyncs(work(database));
    database.exec("COMMIT; DETACH old; BEGIN");
    const selectSetting = database.prepare("SELECT value FROM setting WHERE name = ?");
    totals.posts = Number(selectSetting.get("posts")?.value);
    totals.imported = Number(selectSetting.get("imported")?.value);
  }

  function* complete(): CompactionSteps<void> {
    database.exec("COMMIT");
    yield* withSyncs(mergeTermIndex(database));
    database.exec("BEGIN");
    yield* updateTableChecksums(database);
    database.exec("COMMIT");
    database.close();
    sync(path);
    syncFolder(dirname(path));
    yield "worked";
    database = openForWriting(path, segmentMigrations, catchUpCacheKib);
    // Compaction checkpoints the log when nothing is waiting for it.
    database.exec("PRAGMA wal_autocheckpoint = 0");
    sql = prepareStatements(database);
    tableChecksums = openTableChecksums(database);
    ingestOrder = ingestOrderIn(database);
    bitmap = openBitmapWriter(database, path);
    isComplete = true;
  }

  function* withSyncs(work: CompactionSteps<void>): CompactionSteps<void> {
    let steps = 0;
    let syncedBytes = fileBytes(path);
    for (const step of work) {
      yield step;
      steps += 1;
      const bytes = fileBytes(path);
      if (steps % stepsPerSync !== 0 && bytes - syncedBytes < bytesPerSync) continue;
      sync(path);
      syncedBytes = bytes;
    }
  }

  return {
    add,
    addUri: (hash, id) => {
      sql.insertUri.run(hash, id);
    },
    hide: (id) => {
      sql.insertHidden.run(id);
      bitmap?.hide(id);
    },
    get ingestOrder() {
      return ingestOrder;
    },
    has: (id) => sql.selectExists.get(id) !== undefined,
    idsWithin: (from, to) => sql.selectIdRange.all(from, to).map(({ id }) => id as bigint),
    remove,
    fillFrom,
    open: () => database,
    widenSkew,
    complete,
    commit: (work) => {
      database.exec("BEGIN IMMEDIATE");
      tableChecksums.begin();
      work();
      bitmap?.flush();
      tableChecksums.end();
      database.exec("COMMIT");
    },
    writeSettings: (countBatch, numbering) => {
      sql.updateSetting.run(numbering, "numbering");
      sql.updateSetting.run(totals.posts, "posts");
      sql.updateSetting.run(totals.imported, "imported");
      sql.updateSetting.run(countBatch, "counted");
    },
    takeDeletions: (copyTo) => inTransaction(database, () => copyTo(database)),
    identify: (identity) =>
      inTransaction(database, () => {
        database.exec(`DELETE FROM setting WHERE name = '${unfinishedSetting}'`);
        writeIdentity(database, identity);
      }),
    postTotals: () => totals,
    skew: () => skew,
    close: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** Leaves `defensive` off, because it requires a journal. */
function create(path: string): DatabaseSync {
  makePrivateFolder(dirname(path));
  removeSegmentFiles(path);
  makePrivate(path);
  const database = new DatabaseSync(path);
  database.exec(
    `PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${fillCacheKib}`,
  );
  for (const migration of segmentMigrations) database.exec(migration);
  database.exec(`PRAGMA user_version = ${segmentMigrations.length}`);
  database.exec(`INSERT INTO setting VALUES('${unfinishedSetting}', 1)`);
  return database;
}

export function removeSegmentFiles(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
  rmSync(damageMarkerPath(path), { force: true });
}

function openBitmapWriter(database: DatabaseSync, name: string): DeletionBitmapWriter | null {
  if (sealedState(database) === null) return null;
  return deletionBitmapWriter(database, openDocNumbers(database, name, null));
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
  const selectPost = database.prepare("SELECT * FROM post WHERE id = ?");
  selectPost.setReadBigInts(true);
  const selectIdRange = database.prepare(
    "SELECT id FROM post WHERE id BETWEEN ? AND ? ORDER BY id",
  );
  selectIdRange.setReadBigInts(true);
  return {
    selectPost,
    selectIdRange,
    selectExists: database.prepare("SELECT 1 FROM post WHERE id = ?"),
    insertPost: database.prepare("INSERT INTO post VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    deletePost: database.prepare("DELETE FROM post WHERE id = ?"),
    insertTerms: database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)"),
    deleteTerms: database.prepare("DELETE FROM term WHERE rowid = ?"),
    insertUri: database.prepare("INSERT OR IGNORE INTO uri VALUES(?, ?)"),
    deleteUri: database.prepare("DELETE FROM uri WHERE hash = ? AND id = ?"),
    insertHidden: database.prepare("INSERT OR IGNORE INTO hidden VALUES(?)"),
    deleteHidden: database.prepare("DELETE FROM hidden WHERE id = ?"),
    updateSetting: database.prepare("UPDATE setting SET value = ? WHERE name = ?"),
  };
}
