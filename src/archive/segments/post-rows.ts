import type { DatabaseSync } from "node:sqlite";
import { lastId } from "../../posts/ids.ts";
import type { PostCounts } from "../../posts/post.ts";
import { decodeRecord, type RecordRow } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { bigIntPreparer } from "../database.ts";
import type { PackedTexts, PreparedPost } from "../prepared.ts";
import { type DeletionBitmapWriter, deletionBitmapWriter } from "../sealed/deletion-bitmap.ts";
import { openDocNumbers } from "../sealed/doc-numbers.ts";
import { abandonedFormat } from "../sealed/format.ts";
import { sealedQuery } from "../sealed/sealed-query.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { postRowChecksumSql, rowChecksum } from "./checked-rows.ts";
import { isMarkedDamaged, markOnDamage, unlessMarkedDamaged } from "./integrity.ts";
import { sealedIds } from "./sealed-ids.ts";

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

/** Changes a post's row, uri and terms together. Requires a transaction and `defineRowChecksum`. */
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
    const { timeMs, revision, packedTexts } = post;
    const { likes, reposts, replies, quotes } = counts;
    const checksum =
      packedTexts?.checksum ??
      rowChecksum({ id, timeMs, ...counts, revision, record: post.record });
    const record = packedTexts?.record ?? post.record;
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

export type PostTerms = { terms: string; packedTexts?: PackedTexts };

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

type SealedWrites = {
  /** Call before the transaction begins, because a damaged page would make the transaction fail. */
  begin(): void;
  replace(id: bigint): void;
  hide(id: bigint): void;
  show(id: bigint): void;
  /** Requires a transaction. */
  flush(): void;
  discard(): void;
  idsWith(facet: string): bigint[] | null;
};

/**
 * Opens the index when an existing post first changes, so that new posts cost only a check for the
 * marker.
 */
export function openSealedWrites(database: DatabaseSync, path: string): SealedWrites {
  let bitmapState: DeletionBitmapWriter | "unsealed" | "damaged" | "abandoned" | null = null;
  // Copies of the file lack the marker, but must be rejected as well.
  const updateFormat = database.prepare("UPDATE sealed SET format = ?1 WHERE format <> ?1");

  function openBitmap(): DeletionBitmapWriter | null {
    bitmapState ??= open();
    return typeof bitmapState === "string" ? null : bitmapState;
  }

  function open(): DeletionBitmapWriter | "unsealed" | "damaged" {
    if (sealedState(database) === null) return "unsealed";
    return unlessMarkedDamaged<DeletionBitmapWriter | "damaged">(
      path,
      () => deletionBitmapWriter(database, openDocNumbers(database, path, null)),
      () => "damaged",
    );
  }

  function runGuarded<Value>(work: () => Value): Value | null {
    return markOnDamage(path, work, () => {
      if (bitmapState !== "abandoned") bitmapState = "damaged";
      return null;
    });
  }

  function abandonIndex(): void {
    bitmapState = "abandoned";
    runGuarded(() => updateFormat.run(abandonedFormat));
  }

  function idsWith(facet: string): bigint[] | null {
    if (openBitmap() === null) return bitmapState === "unsealed" ? [] : null;
    const query = sealedQuery({ kind: "terms", elements: [{ kind: "token", token: facet }] });
    return runGuarded(() => sealedIds(database, path, query, { low: 0n, high: lastId }));
  }

  return {
    begin: () => {
      const isUnused = bitmapState === "unsealed" || bitmapState === "abandoned";
      if (!isUnused && isMarkedDamaged(path)) abandonIndex();
    },
    replace: (id) => runGuarded(() => openBitmap()?.replace(id)),
    hide: (id) => runGuarded(() => openBitmap()?.hide(id)),
    show: (id) => runGuarded(() => openBitmap()?.show(id)),
    flush: () => {
      if (bitmapState === null) return;
      runGuarded(() => openBitmap()?.flush());
      if (bitmapState === "damaged") abandonIndex();
    },
    discard: () => {
      if (bitmapState !== null) openBitmap()?.discard();
    },
    idsWith,
  };
}
