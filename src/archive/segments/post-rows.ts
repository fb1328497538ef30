import type { DatabaseSync } from "node:sqlite";
import type { PostCounts } from "../../posts/post.ts";
import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { bigIntPreparer } from "../database.ts";
import type { PackedTexts, PreparedPost } from "../prepared.ts";
import { postRowChecksumSql, rowChecksum } from "./row-checksum.ts";
import type { SealedWrites } from "./sealed-writes.ts";

export type WrittenPost = Pick<PreparedPost, "timeMs" | "revision" | "record"> & PostTerms;

export type PostRows = {
  begin(isRecorded: boolean): void;
  insert(post: WrittenPost, id: bigint, counts: PostCounts, hash: bigint | null): void;
  replace(post: WrittenPost, id: bigint, counts: PostCounts): void;
  remove(id: bigint, hash: bigint | null): void;
  /** A hidden post stays hidden. */
  renumber(post: WrittenPost, id: bigint, newId: bigint, counts: PostCounts, hash: bigint): void;
  setCounts(id: bigint, counts: PostCounts): void;
  setRecord(id: bigint, record: string): void;
  rewriteTerms(row: RecordRow): void;
  setHidden(id: bigint, hidden: boolean): void;
};

/** A post's row, uri and terms, changed together. Requires a transaction and `defineRowChecksum`. */
export function postRowsIn(
  database: DatabaseSync,
  termsWriter: TermsWriter,
  sealed: Pick<SealedWrites, "replace" | "hide" | "show">,
): PostRows {
  const sql = prepareStatements(database);
  let isRecording = false;

  function recordChange(id: bigint): void {
    if (isRecording) sql.insertChanged.run(id);
  }

  function write(post: WrittenPost, id: bigint, counts: PostCounts): void {
    recordChange(id);
    const { timeMs, revision, packed } = post;
    const { likes, reposts, replies, quotes } = counts;
    const checksum =
      packed?.sum ?? rowChecksum({ id, timeMs, ...counts, revision, record: post.record });
    const record = packed?.record ?? post.record;
    sql.insertPost.run(id, timeMs, likes, reposts, replies, quotes, revision, record, checksum);
    termsWriter.insert(id, post);
  }

  function erase(id: bigint): void {
    recordChange(id);
    sql.deletePost.run(id);
    termsWriter.remove(id);
    sealed.replace(id);
  }

  return {
    begin: (isRecorded) => {
      isRecording = isRecorded;
    },
    insert: (post, id, counts, hash) => {
      write(post, id, counts);
      if (hash !== null) sql.insertUri.run(hash, id);
    },
    replace: (post, id, counts) => {
      erase(id);
      write(post, id, counts);
    },
    remove: (id, hash) => {
      erase(id);
      sql.deleteHidden.run(id);
      if (hash !== null) sql.deleteUri.run(hash, id);
    },
    renumber: (post, id, newId, counts, hash) => {
      const wasHidden = sql.selectHidden.get(id) !== undefined;
      erase(id);
      sql.deleteHidden.run(id);
      sql.deleteUri.run(hash, id);
      write(post, newId, counts);
      sql.insertUri.run(hash, newId);
      if (wasHidden) sql.insertHidden.run(newId);
    },
    setCounts: (id, { likes, reposts, replies, quotes }) => {
      recordChange(id);
      sql.updateCounts.run(likes, reposts, replies, quotes, id);
      sql.updateChecksum.run(id);
    },
    setRecord: (id, record) => {
      recordChange(id);
      sql.updateRecord.run(record, id);
      sql.updateChecksum.run(id);
    },
    rewriteTerms: (row) => {
      termsWriter.remove(row.id);
      termsWriter.insert(row.id, { terms: indexTerms(decodeRecord(row)).join(" ") });
      sealed.replace(row.id);
    },
    setHidden: (id, hidden) => {
      recordChange(id);
      const { changes } = hidden ? sql.insertHidden.run(id) : sql.deleteHidden.run(id);
      if (Number(changes) === 0) return;
      if (hidden) sealed.hide(id);
      else sealed.show(id);
    },
  };
}

function prepareStatements(database: DatabaseSync) {
  const prepare = bigIntPreparer(database);
  return {
    insertPost: prepare("INSERT INTO post VALUES(?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)"),
    deletePost: prepare("DELETE FROM post WHERE id = ?"),
    insertUri: prepare("INSERT INTO uri(hash, id) VALUES(?, ?)"),
    deleteUri: prepare("DELETE FROM uri WHERE hash = ? AND id = ?"),
    updateCounts: prepare(
      "UPDATE post SET likes = ?, reposts = ?, replies = ?, quotes = ? WHERE id = ?",
    ),
    updateRecord: prepare("UPDATE post SET record = ? WHERE id = ?"),
    updateChecksum: prepare(`UPDATE post SET sum = ${postRowChecksumSql} WHERE id = ?`),
    insertHidden: prepare("INSERT OR IGNORE INTO hidden VALUES(?)"),
    deleteHidden: prepare("DELETE FROM hidden WHERE id = ?"),
    selectHidden: prepare("SELECT 1 FROM hidden WHERE id = ?"),
    insertChanged: prepare("INSERT OR IGNORE INTO changed VALUES(?)"),
  };
}

export type PostTerms = { terms: string; packed?: PackedTexts };

export type TermsWriter = {
  insert(id: bigint, post: PostTerms): void;
  remove(id: bigint): void;
};

export function ftsTermsIn(database: DatabaseSync): TermsWriter {
  const insert = database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
  const remove = database.prepare("DELETE FROM term WHERE rowid = ?");
  return {
    insert: (id, { terms }) => {
      insert.run(id, terms);
    },
    remove: (id) => {
      remove.run(id);
    },
  };
}
