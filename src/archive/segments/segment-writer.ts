import type { DatabaseSync } from "node:sqlite";
import { type CountMetric, countMetrics } from "@earshot/query/tree";
import { nextMillisecondId } from "../../posts/ids.ts";
import type { Platform, Post, PostCounts } from "../../posts/post.ts";
import {
  decodeRecord,
  type RecordRow,
  recordOrigin,
  recordUri,
  withAddedLabels,
} from "../../posts/record.ts";
import { countThresholds, indexTerms } from "../../posts/terms.ts";
import { openForWriting, preparesBigInts } from "../database.ts";
import type { PackedTexts, PreparedPost } from "../prepared.ts";
import { type Deletions, deletionsIn } from "./deletions.ts";
import { writtenInWriter } from "./identity.ts";
import { type IngestOrder, ingestOrderIn } from "./ingest-order.ts";
import { damagedRow, defineRowSum, rowSum, rowSumSql, rowSumsOf } from "./row-sum.ts";
import { segmentMigrations } from "./schema.ts";
import { sealedWritesOf } from "./sealed-writes.ts";
import { tableSumsOf } from "./table-sums.ts";

export type StoredPost = {
  id: bigint;
  timeMs: number;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  record: string;
  /** False: the values must not be trusted. */
  isIntact: boolean;
};

export type ReadPost = StoredPost & { post: Post };

export type Moderation = { hidden: boolean; labels: readonly string[] };

type WrittenPost = Pick<PreparedPost, "timeMs" | "revision" | "record" | "terms"> & {
  packed?: PackedTexts;
};

export type SegmentWriter = {
  /** Atomic until `commit`. `noting`: record changed posts, for a copy in progress. */
  begin(isRecorded: boolean, commitNumber: number): void;
  commit(): void;
  rollback(): void;
  posts(): number;
  end(): bigint;
  findByUri(hash: bigint, uri: string): StoredPost | null;
  findById(id: bigint): (StoredPost & { uri: string }) | null;
  read(id: bigint): ReadPost | null;
  holds(id: bigint): boolean;
  /** Inclusive; null if none. */
  lowestId(from: bigint, to: bigint): bigint | null;
  highestId(from: bigint, to: bigint): bigint | null;
  /** Ends the snapshot that the first lookup began, as `begin` does. */
  endReading(): void;
  idsWith(facet: string): bigint[];
  /** `arrival`: ingest number. */
  insert(post: PreparedPost, id: bigint, ingestNumber: number): void;
  update(post: PreparedPost, stored: StoredPost): void;
  remove(id: bigint, hash: bigint | null): void;
  renumber(id: bigint, to: bigint, hash: bigint): void;
  addCounts(id: bigint, added: ReadonlyMap<CountMetric, number>): void;
  moderate(id: bigint, moderation: Moderation): void;
  deletions: Deletions;
  /** The last generation of count changes applied. */
  counted(): number;
  setCounted(step: number): void;
  close(): void;
};

export type TermsOfPost = Pick<WrittenPost, "terms" | "packed">;

type TermsWriter = {
  insert(id: bigint, post: TermsOfPost): void;
  remove(id: bigint): void;
};

export type BesideRows = {
  terms: TermsWriter;
  ingestOrder: Pick<IngestOrder, "add" | "renumber" | "flush" | "discard">;
};

export function openSegmentWriter(
  path: string,
  platform: Platform,
  cacheKib: number,
): SegmentWriter {
  const database = openForWriting(path, segmentMigrations, cacheKib);
  const beside = { terms: ftsTermsIn(database), ingestOrder: ingestOrderIn(database) };
  return segmentWriterOn(database, { path, platform }, beside);
}

function ftsTermsIn(database: DatabaseSync): TermsWriter {
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

export function segmentWriterOn(
  database: DatabaseSync,
  { path, platform }: { path: string; platform: Platform },
  { terms: termsWriter, ingestOrder }: BesideRows,
): SegmentWriter {
  defineRowSum(database);
  const sums = rowSumsOf(database);
  const sql = prepareStatements(database);
  const setWrittenIn = writtenInWriter(database);
  const tableSums = tableSumsOf(database);
  const sealed = sealedWritesOf(database, path);
  const deletions = deletionsIn(database);
  let isRecording = false;
  let isReading = false;
  let lastRead: bigint | null = null;
  let added = { posts: 0, imported: 0 };

  /** Several times as fast as lookups without a transaction. */
  function beginReading(): void {
    if (isReading || database.isTransaction) return;
    database.exec("BEGIN");
    isReading = true;
    lastRead = lastOf();
  }

  function endReading(): void {
    if (!isReading) return;
    database.exec("COMMIT");
    isReading = false;
    lastRead = null;
  }

  const lastOf = (): bigint => (sql.last.get()?.id as bigint | null) ?? 0n;

  /** Most new posts are after the last one. */
  function mayContain(id: bigint): boolean {
    beginReading();
    return lastRead === null || id <= lastRead;
  }

  function stored(row: Record<string, unknown>): StoredPost & { row: RecordRow } {
    const record = String(row.record);
    const counts = {
      likes: numberOrNull(row.likes),
      reposts: numberOrNull(row.reposts),
      replies: numberOrNull(row.replies),
      quotes: numberOrNull(row.quotes),
    };
    const id = row.id as bigint;
    const timeMs = Number(row.time_ms);
    const revision = String(row.revision);
    const isIntact = sums.isIntact(
      { id, timeMs: row.time_ms as bigint, ...counts, revision, record },
      row.sum as bigint | null,
    );
    return {
      id,
      timeMs,
      counts,
      revision,
      imported: isIntact && recordOrigin(record) === "import",
      record,
      isIntact,
      row: { id, platform, timeMs, counts, record },
    };
  }

  function findById(id: bigint): (StoredPost & { uri: string; row: RecordRow }) | null {
    if (!mayContain(id)) return null;
    const row = sql.row.get(id);
    if (row === undefined) return null;
    const post = stored(row);
    return { ...post, uri: post.isIntact ? recordUri(post.row) : "" };
  }

  function findByUri(hash: bigint, uri: string): StoredPost | null {
    beginReading();
    for (const { id } of sql.idsOfHash.all(hash)) {
      const post = findById(id as bigint);
      if (post?.uri === uri || post?.isIntact === false) return post;
    }
    return null;
  }

  function read(id: bigint): ReadPost | null {
    const found = findById(id);
    return found?.isIntact ? { ...found, post: decodeRecord(found.row) } : null;
  }

  function writeRow(post: WrittenPost, id: bigint, counts: PostCounts): void {
    note(id);
    const { timeMs, revision, packed } = post;
    const { likes, reposts, replies, quotes } = counts;
    const sum = packed?.sum ?? rowSum({ id, timeMs, ...counts, revision, record: post.record });
    const record = packed?.record ?? post.record;
    sql.insertPost.run(id, timeMs, likes, reposts, replies, quotes, revision, record, sum);
    termsWriter.insert(id, post);
  }

  /** Terms depend on counts, which the source may lack. */
  function termsWith(post: PreparedPost, id: bigint, counts: PostCounts): string {
    if (sameCounts(post.counts, counts)) return post.terms;
    const { timeMs, record } = post;
    return indexTerms(decodeRecord({ id, platform, timeMs, counts, record })).join(" ");
  }

  function note(id: bigint): void {
    if (isRecording) sql.noteChange.run(id);
  }

  function eraseRow(id: bigint): void {
    note(id);
    sql.deletePost.run(id);
    termsWriter.remove(id);
    sealed.replace(id);
  }

  function rewriteTerms(row: RecordRow): void {
    termsWriter.remove(row.id);
    termsWriter.insert(row.id, { terms: indexTerms(decodeRecord(row)).join(" ") });
    sealed.replace(row.id);
  }

  function addCounts(id: bigint, added: ReadonlyMap<CountMetric, number>): void {
    const found = findById(id);
    if (!found?.isIntact) return;
    const counts = countsWith(found.counts, added);
    note(id);
    sql.setCounts.run(counts.likes, counts.reposts, counts.replies, counts.quotes, id);
    sql.setSum.run(id);
    if (!passesThreshold(found.counts, counts)) return;
    rewriteTerms({ ...found.row, counts });
  }

  function setHidden(id: bigint, hidden: boolean): void {
    const { changes } = hidden ? sql.hide.run(id) : sql.show.run(id);
    if (Number(changes) === 0) return;
    if (hidden) sealed.hide(id);
    else sealed.show(id);
  }

  /**
   * FTS5 has the posts written since sealing. Reads every row if the sealed index is unreadable.
   */
  function idsWith(facet: string): bigint[] {
    const known = sealed.idsWith(facet);
    if (known === null) return rowsWith(facet);
    const written = sql.idsWith.all(`"${facet.replaceAll('"', '""')}"`);
    return [...known, ...written.map(({ rowid }) => rowid as bigint)];
  }

  function rowsWith(facet: string): bigint[] {
    const ids: bigint[] = [];
    for (const row of sql.rows.iterate()) {
      const found = stored(row);
      if (!found.isIntact) continue;
      if (indexTerms(decodeRecord(found.row)).includes(facet)) ids.push(found.id);
    }
    return ids;
  }

  function moderate(id: bigint, { hidden, labels }: Moderation): void {
    const found = findById(id);
    if (found === null) return;
    note(id);
    setHidden(id, hidden);
    if (!found.isIntact) return;
    const record = withAddedLabels(found.record, labels);
    if (record === found.record) return;
    sql.setRecord.run(record, id);
    sql.setSum.run(id);
    rewriteTerms({ ...found.row, record });
  }

  return {
    begin: (noting, commitNumber) => {
      endReading();
      isRecording = noting;
      added = { posts: 0, imported: 0 };
      sealed.begin();
      database.exec("BEGIN IMMEDIATE");
      tableSums.begin();
      setWrittenIn(commitNumber);
    },
    commit: () => {
      ingestOrder.flush();
      sealed.flush();
      if (added.posts !== 0) sql.addPosts.run(added.posts);
      if (added.imported !== 0) sql.addImported.run(added.imported);
      added = { posts: 0, imported: 0 };
      tableSums.end();
      database.exec("COMMIT");
    },
    rollback: () => {
      ingestOrder.discard();
      sealed.discard();
      tableSums.discard();
      added = { posts: 0, imported: 0 };
      if (database.isTransaction) database.exec("ROLLBACK");
    },
    posts: () => Number(sql.posts.get()?.value ?? 0) + added.posts,
    end: () => nextMillisecondId(lastOf()),
    findByUri,
    findById,
    read,
    holds: (id) => mayContain(id) && sql.exists.get(id) !== undefined,
    lowestId: (from, to) =>
      mayContain(from) ? ((sql.lowest.get(from, to)?.id as bigint | null) ?? null) : null,
    highestId: (from, to) =>
      mayContain(from) ? ((sql.highest.get(from, to)?.id as bigint | null) ?? null) : null,
    endReading,
    idsWith,
    insert: (post, id, ingestNumber) => {
      writeRow(id === post.id ? post : unpacked(post), id, post.counts);
      if (post.hash !== null) sql.insertUri.run(post.hash, id);
      ingestOrder.add(ingestNumber, id);
      added.posts += 1;
      if (post.imported) added.imported += 1;
    },
    update: (post, { id, counts, imported, isIntact }) => {
      const merged = isIntact ? newestCounts(post.counts, counts) : post.counts;
      eraseRow(id);
      writeRow({ ...unpacked(post), terms: termsWith(post, id, merged) }, id, merged);
      if (imported && !post.imported) added.imported -= 1;
    },
    remove: (id, hash) => {
      if (findById(id)?.imported) added.imported -= 1;
      eraseRow(id);
      sql.show.run(id);
      if (hash !== null) sql.deleteUri.run(hash, id);
      added.posts -= 1;
    },
    renumber: (id, to, hash) => {
      const post = findById(id);
      if (post === null) return;
      if (!post.isIntact) throw damagedRow(id);
      const terms = indexTerms(decodeRecord(post.row)).join(" ");
      const wasHidden = sql.isHidden.get(id) !== undefined;
      eraseRow(id);
      sql.show.run(id);
      sql.deleteUri.run(hash, id);
      writeRow({ ...post, terms }, to, post.counts);
      sql.insertUri.run(hash, to);
      ingestOrder.renumber(id, to);
      if (wasHidden) sql.hide.run(to);
    },
    addCounts,
    moderate,
    deletions,
    counted: () => Number(sql.counted.get()?.value ?? 0),
    setCounted: (step) => sql.setCounted.run(step),
    close: () => database.close(),
  };
}

const unpacked = ({ timeMs, revision, record, terms }: WrittenPost): WrittenPost => ({
  timeMs,
  revision,
  record,
  terms,
});

export function newestCounts(incoming: PostCounts, known: PostCounts): PostCounts {
  return {
    likes: incoming.likes ?? known.likes,
    reposts: incoming.reposts ?? known.reposts,
    replies: incoming.replies ?? known.replies,
    quotes: incoming.quotes ?? known.quotes,
  };
}

function countsWith(counts: PostCounts, added: ReadonlyMap<CountMetric, number>): PostCounts {
  const sum = (metric: CountMetric): number | null => {
    const by = added.get(metric) ?? 0;
    const known = counts[metric];
    return known === null && by <= 0 ? null : Math.max(0, (known ?? 0) + by);
  };
  return {
    likes: sum("likes"),
    reposts: sum("reposts"),
    replies: sum("replies"),
    quotes: sum("quotes"),
  };
}

function passesThreshold(before: PostCounts, after: PostCounts): boolean {
  const passed = (count: number | null): number =>
    countThresholds.filter((threshold) => (count ?? 0) >= threshold).length;
  return countMetrics.some((metric) => passed(before[metric]) !== passed(after[metric]));
}

export function sameCounts(a: PostCounts, b: PostCounts): boolean {
  return (
    a.likes === b.likes &&
    a.reposts === b.reposts &&
    a.replies === b.replies &&
    a.quotes === b.quotes
  );
}

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));

function prepareStatements(database: DatabaseSync) {
  const prepare = preparesBigInts(database);
  return {
    row: prepare("SELECT * FROM post WHERE id = ?"),
    rows: prepare("SELECT * FROM post"),
    exists: prepare("SELECT 1 FROM post WHERE id = ?"),
    lowest: prepare("SELECT min(id) AS id FROM post WHERE id BETWEEN ? AND ?"),
    highest: prepare("SELECT max(id) AS id FROM post WHERE id BETWEEN ? AND ?"),
    last: prepare("SELECT max(id) AS id FROM post"),
    posts: prepare("SELECT value FROM setting WHERE name = 'posts'"),
    addPosts: prepare("UPDATE setting SET value = value + ? WHERE name = 'posts'"),
    idsOfHash: prepare("SELECT id FROM uri WHERE hash = ?"),
    insertUri: prepare("INSERT INTO uri(hash, id) VALUES(?, ?)"),
    deleteUri: prepare("DELETE FROM uri WHERE hash = ? AND id = ?"),
    insertPost: prepare("INSERT INTO post VALUES(?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)"),
    deletePost: prepare("DELETE FROM post WHERE id = ?"),
    idsWith: prepare("SELECT rowid FROM term WHERE term MATCH ?"),
    setCounts: prepare(
      "UPDATE post SET likes = ?, reposts = ?, replies = ?, quotes = ? WHERE id = ?",
    ),
    setRecord: prepare("UPDATE post SET record = ? WHERE id = ?"),
    setSum: prepare(`UPDATE post SET sum = ${rowSumSql} WHERE id = ?`),
    hide: prepare("INSERT OR IGNORE INTO hidden VALUES(?)"),
    show: prepare("DELETE FROM hidden WHERE id = ?"),
    isHidden: prepare("SELECT 1 FROM hidden WHERE id = ?"),
    addImported: prepare("UPDATE setting SET value = value + ? WHERE name = 'imported'"),
    noteChange: prepare("INSERT OR IGNORE INTO changed VALUES(?)"),
    counted: prepare("SELECT value FROM setting WHERE name = 'counted'"),
    setCounted: prepare("UPDATE setting SET value = ? WHERE name = 'counted'"),
  };
}
