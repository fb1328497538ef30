import type { DatabaseSync } from "node:sqlite";
import { nextMillisecondId } from "../../posts/ids.ts";
import type { Platform, Post, PostCounts } from "../../posts/post.ts";
import { decodeRecord, type RecordRow, recordOrigin, recordUri } from "../../posts/record.ts";
import { bigIntPreparer } from "../database.ts";
import { openRowChecksums } from "./checked-rows.ts";
import type { PostLookup } from "./lookup.ts";

export type StoredPost = {
  id: bigint;
  timeMs: number;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  record: string;
  /** If false, the other values must not be trusted. */
  isIntact: boolean;
};

export type DecodedPost = StoredPost & { post: Post };

export type StoredPosts = PostLookup<StoredPost & { row: RecordRow }> & {
  /** Null if the row is missing or damaged. */
  read(id: bigint): DecodedPost | null;
  intactRows(): Generator<RecordRow>;
  /** The first ID after the last stored millisecond. */
  endId(): bigint;
  /** Ends the snapshot that the first lookup began. */
  endReading(): void;
};

/** Usable before and in the writer's transactions. Includes hidden posts. */
export function storedPostsIn(database: DatabaseSync, platform: Platform): StoredPosts {
  const checksums = openRowChecksums(database);
  const sql = prepareStatements(database);
  let isReading = false;
  let snapshotLastId: bigint | null = null;

  const lastId = (): bigint => (sql.selectLastId.get()?.id as bigint | null) ?? 0n;

  /** A snapshot makes lookups several times faster. */
  function beginReading(): void {
    if (isReading || database.isTransaction) return;
    database.exec("BEGIN");
    isReading = true;
    snapshotLastId = lastId();
  }

  /** Most new IDs are above the highest stored one. */
  function mayContain(id: bigint): boolean {
    beginReading();
    return snapshotLastId === null || id <= snapshotLastId;
  }

  function toStoredPost(row: Record<string, unknown>): StoredPost & { row: RecordRow } {
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
    const isIntact = checksums.isIntact(
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

  const findById: StoredPosts["findById"] = (id) => {
    if (!mayContain(id)) return null;
    const row = sql.selectPost.get(id);
    if (row === undefined) return null;
    const post = toStoredPost(row);
    return { ...post, uri: post.isIntact ? recordUri(post.row) : "" };
  };

  const findByUri: StoredPosts["findByUri"] = (hash, uri) => {
    beginReading();
    for (const { id } of sql.selectIdsByHash.all(hash)) {
      const post = findById(id as bigint);
      if (post?.uri === uri || post?.isIntact === false) return post;
    }
    return null;
  };

  return {
    findById,
    findByUri,
    read: (id) => {
      const found = findById(id);
      return found?.isIntact ? { ...found, post: decodeRecord(found.row) } : null;
    },
    *intactRows() {
      for (const row of sql.selectPosts.iterate()) {
        const post = toStoredPost(row);
        if (post.isIntact) yield post.row;
      }
    },
    has: (id) => mayContain(id) && sql.selectExists.get(id) !== undefined,
    lowestId: (from, to) =>
      mayContain(from) ? ((sql.selectLowest.get(from, to)?.id as bigint | null) ?? null) : null,
    highestId: (from, to) =>
      mayContain(from) ? ((sql.selectHighest.get(from, to)?.id as bigint | null) ?? null) : null,
    endId: () => nextMillisecondId(lastId()),
    endReading: () => {
      if (!isReading) return;
      database.exec("COMMIT");
      isReading = false;
      snapshotLastId = null;
    },
  };
}

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));

function prepareStatements(database: DatabaseSync) {
  const prepare = bigIntPreparer(database);
  return {
    selectPost: prepare("SELECT * FROM post WHERE id = ?"),
    selectPosts: prepare("SELECT * FROM post"),
    selectExists: prepare("SELECT 1 FROM post WHERE id = ?"),
    selectLowest: prepare("SELECT min(id) AS id FROM post WHERE id BETWEEN ? AND ?"),
    selectHighest: prepare("SELECT max(id) AS id FROM post WHERE id BETWEEN ? AND ?"),
    selectLastId: prepare("SELECT max(id) AS id FROM post"),
    selectIdsByHash: prepare("SELECT id FROM uri WHERE hash = ?"),
  };
}
