import type { DatabaseSync } from "node:sqlite";
import type { CountMetric } from "@earshot/query/tree";
import type { Platform, PostCounts } from "../../posts/post.ts";
import { decodeRecord, withAddedLabels } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { bigIntPreparer, openForWriting } from "../database.ts";
import type { PreparedPost } from "../prepared.ts";
import { damagedRow, defineRowChecksum } from "./checked-rows.ts";
import { type IngestOrder, ingestOrderIn } from "./ingest-order.ts";
import { applyCountDeltas, areCountsEqual, crossesThreshold, mergeCounts } from "./post-counts.ts";
import {
  ftsTermsIn,
  openSealedWrites,
  postRowsIn,
  type TermsWriter,
  type WrittenPost,
} from "./post-rows.ts";
import { segmentMigrations } from "./schema.ts";
import { prepareLastWriteUpdate } from "./segment-file.ts";
import { type StoredPost, type StoredPosts, storedPostsIn } from "./stored-posts.ts";
import { openTableChecksums } from "./table-checksums.ts";

export type Moderation = { hidden: boolean; labels: readonly string[] };

export type SegmentWriter = Omit<StoredPosts, "intactRows"> & {
  /**
   * Changes are atomic until `commit`. Ends the snapshot of earlier lookups. If `isRecorded`,
   * records changed posts for a copy in progress.
   */
  begin(isRecorded: boolean, commitNumber: number): void;
  commit(): void;
  rollback(): void;
  posts(): number;
  idsWith(facet: string): bigint[];
  insert(post: PreparedPost, id: bigint, ingestNumber: number): void;
  update(post: PreparedPost, storedPost: StoredPost): void;
  remove(id: bigint, hash: bigint | null): void;
  renumber(id: bigint, newId: bigint, hash: bigint): void;
  addCounts(id: bigint, deltas: ReadonlyMap<CountMetric, number>): void;
  moderate(id: bigint, moderation: Moderation): void;
  deletions: Deletions;
  /** The last count batch added. */
  countBatch(): number;
  setCountBatch(step: number): void;
  close(): void;
};

export type RowIndexes = {
  terms: TermsWriter;
  ingestOrder: Pick<IngestOrder, "add" | "renumber" | "flush" | "discard">;
};

export function openSegmentWriter(
  path: string,
  platform: Platform,
  cacheKib: number,
): SegmentWriter {
  const database = openForWriting(path, segmentMigrations, cacheKib);
  const indexes = { terms: ftsTermsIn(database), ingestOrder: ingestOrderIn(database) };
  return segmentWriterOn(database, { path, platform }, indexes);
}

export function segmentWriterOn(
  database: DatabaseSync,
  { path, platform }: { path: string; platform: Platform },
  { terms: termsWriter, ingestOrder }: RowIndexes,
): SegmentWriter {
  defineRowChecksum(database);
  const sql = prepareStatements(database);
  const setLastWrittenInCommit = prepareLastWriteUpdate(database);
  const tableChecksums = openTableChecksums(database);
  const sealed = openSealedWrites(database, path);
  const { intactRows, ...stored } = storedPostsIn(database, platform);
  const rows = postRowsIn(database, termsWriter, sealed);
  let pendingTotals = { posts: 0, imported: 0 };

  /** Terms depend on counts, which a source may not report. */
  function termsWith(post: PreparedPost, id: bigint, counts: PostCounts): string {
    if (areCountsEqual(post.counts, counts)) return post.terms;
    const { timeMs, record } = post;
    return indexTerms(decodeRecord({ id, platform, timeMs, counts, record })).join(" ");
  }

  /** Reads every row if the sealed index is unreadable. */
  function idsWith(facet: string): bigint[] {
    const sealedIds = sealed.idsWith(facet);
    if (sealedIds === null) return rowsWith(facet);
    const deltaRows = sql.selectIdsWith.all(`"${facet.replaceAll('"', '""')}"`);
    return [...sealedIds, ...deltaRows.map(({ rowid }) => rowid as bigint)];
  }

  function rowsWith(facet: string): bigint[] {
    const ids: bigint[] = [];
    for (const row of intactRows()) {
      if (indexTerms(decodeRecord(row)).includes(facet)) ids.push(row.id);
    }
    return ids;
  }

  return {
    ...stored,
    begin: (isRecorded, commitNumber) => {
      stored.endReading();
      rows.begin(isRecorded);
      pendingTotals = { posts: 0, imported: 0 };
      sealed.begin();
      database.exec("BEGIN IMMEDIATE");
      tableChecksums.begin();
      setLastWrittenInCommit(commitNumber);
    },
    commit: () => {
      ingestOrder.flush();
      sealed.flush();
      if (pendingTotals.posts !== 0) sql.updatePosts.run(pendingTotals.posts);
      if (pendingTotals.imported !== 0) sql.updateImported.run(pendingTotals.imported);
      pendingTotals = { posts: 0, imported: 0 };
      tableChecksums.end();
      database.exec("COMMIT");
    },
    rollback: () => {
      ingestOrder.discard();
      sealed.discard();
      tableChecksums.discard();
      pendingTotals = { posts: 0, imported: 0 };
      if (database.isTransaction) database.exec("ROLLBACK");
    },
    posts: () => Number(sql.selectPosts.get()?.value ?? 0) + pendingTotals.posts,
    idsWith,
    insert: (post, id, ingestNumber) => {
      rows.insert(id === post.id ? post : unpack(post), id, post.counts, post.hash);
      ingestOrder.add(ingestNumber, id);
      pendingTotals.posts += 1;
      if (post.imported) pendingTotals.imported += 1;
    },
    update: (post, { id, counts, imported, isIntact }) => {
      const mergedCounts = isIntact ? mergeCounts(post.counts, counts) : post.counts;
      rows.replace({ ...unpack(post), terms: termsWith(post, id, mergedCounts) }, id, mergedCounts);
      if (imported && !post.imported) pendingTotals.imported -= 1;
    },
    remove: (id, hash) => {
      if (stored.findById(id)?.imported) pendingTotals.imported -= 1;
      rows.remove(id, hash);
      pendingTotals.posts -= 1;
    },
    renumber: (id, newId, hash) => {
      const post = stored.findById(id);
      if (post === null) return;
      if (!post.isIntact) throw damagedRow(id);
      const terms = indexTerms(decodeRecord(post.row)).join(" ");
      rows.renumber({ ...post, terms }, id, newId, post.counts, hash);
      ingestOrder.renumber(id, newId);
    },
    addCounts: (id, changes) => {
      const found = stored.findById(id);
      if (!found?.isIntact) return;
      const counts = applyCountDeltas(found.counts, changes);
      rows.setCounts(id, counts);
      if (crossesThreshold(found.counts, counts)) rows.rewriteTerms({ ...found.row, counts });
    },
    moderate: (id, { hidden, labels }) => {
      const found = stored.findById(id);
      if (found === null) return;
      rows.setHidden(id, hidden);
      if (!found.isIntact) return;
      const record = withAddedLabels(found.record, labels);
      if (record === found.record) return;
      rows.setRecord(id, record);
      rows.rewriteTerms({ ...found.row, record });
    },
    deletions: deletionsIn(database),
    countBatch: () => Number(sql.selectCounted.get()?.value ?? 0),
    setCountBatch: (step) => sql.updateCounted.run(step),
    close: () => database.close(),
  };
}

const unpack = ({ timeMs, revision, record, terms }: WrittenPost): WrittenPost => ({
  timeMs,
  revision,
  record,
  terms,
});

function prepareStatements(database: DatabaseSync) {
  const prepare = bigIntPreparer(database);
  return {
    selectPosts: prepare("SELECT value FROM setting WHERE name = 'posts'"),
    updatePosts: prepare("UPDATE setting SET value = value + ? WHERE name = 'posts'"),
    updateImported: prepare("UPDATE setting SET value = value + ? WHERE name = 'imported'"),
    selectIdsWith: prepare("SELECT rowid FROM term WHERE term MATCH ?"),
    selectCounted: prepare("SELECT value FROM setting WHERE name = 'counted'"),
    updateCounted: prepare("UPDATE setting SET value = ? WHERE name = 'counted'"),
  };
}

/**
 * Deletions are also recorded in segments, because the catalog may have to be rebuilt. Deletions of
 * posts that are not archived are only in the catalog, unless an operator requested them.
 */
type Deletions = {
  addPost(uri: string, revision: string): void;
  addAccount(userId: string, deletedMs: number): void;
};

/** Requires a transaction. */
function deletionsIn(segment: DatabaseSync): Deletions {
  const insertTombstone = segment.prepare(
    `INSERT OR REPLACE INTO tombstone(uri, revision)
     VALUES(?1, max(?2, coalesce((SELECT revision FROM tombstone WHERE uri = ?1), '')))`,
  );
  const insertDeletedAccount = segment.prepare(
    `INSERT OR REPLACE INTO deleted_account(user_id, deleted_ms)
     VALUES(?1, max(?2, coalesce((SELECT deleted_ms FROM deleted_account WHERE user_id = ?1), 0)))`,
  );
  return {
    addPost: (uri, revision) => {
      insertTombstone.run(uri, revision);
    },
    addAccount: (userId, deletedMs) => {
      insertDeletedAccount.run(userId, deletedMs);
    },
  };
}

/**
 * Copies the deletions since the last call, in a transaction of `to`. A replaced row has a higher
 * rowid.
 */
export function deletionsCopier(from: DatabaseSync): (to: DatabaseSync) => void {
  const selectTombstones = from.prepare(
    "SELECT rowid AS row, uri, revision FROM tombstone WHERE rowid > ? ORDER BY rowid",
  );
  const selectDeletedAccounts = from.prepare(
    "SELECT rowid AS row, user_id, deleted_ms FROM deleted_account WHERE rowid > ? ORDER BY rowid",
  );
  let lastPost = 0;
  let lastAccount = 0;
  return (to) => {
    const deletions = deletionsIn(to);
    for (const { row, uri, revision } of selectTombstones.all(lastPost)) {
      deletions.addPost(String(uri), String(revision));
      lastPost = Number(row);
    }
    for (const { row, user_id, deleted_ms } of selectDeletedAccounts.all(lastAccount)) {
      deletions.addAccount(String(user_id), Number(deleted_ms));
      lastAccount = Number(row);
    }
  };
}
