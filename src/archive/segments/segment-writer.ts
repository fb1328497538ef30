import type { DatabaseSync } from "node:sqlite";
import { nextMillisecondId } from "../../posts/ids.ts";
import type { Platform, PostCounts } from "../../posts/post.ts";
import { decodeRecord, type RecordRow, recordOrigin, recordUri } from "../../posts/record.ts";
import { indexTerms } from "../../posts/terms.ts";
import { openForWriting } from "../database.ts";
import type { PreparedPost } from "../prepare.ts";
import { segmentSchema } from "./schema.ts";

/** A post that a segment holds, as far as writing another version of it needs to know. */
export type HeldPost = {
  id: bigint;
  timeMs: number;
  counts: PostCounts;
  revision: string;
  imported: boolean;
  record: string;
};

type WrittenPost = Pick<PreparedPost, "timeMs" | "revision" | "record" | "terms">;

/** The writing side of one segment. Everything between `begin` and `commit` becomes visible at once, or not at all. */
export type SegmentWriter = {
  begin(): void;
  commit(): void;
  rollback(): void;
  posts(): number;
  /** The first ID of the millisecond after the segment's last post. */
  end(): bigint;
  /** The post with this uri, by the hash of the uri. */
  findByUri(hash: bigint, uri: string): HeldPost | null;
  findById(id: bigint): (HeldPost & { uri: string }) | null;
  holds(id: bigint): boolean;
  insert(post: PreparedPost, id: bigint): void;
  update(post: PreparedPost, held: HeldPost): void;
  remove(id: bigint, hash: bigint | null): void;
  renumber(id: bigint, to: bigint, hash: bigint): void;
  close(): void;
};

/** `cacheKib` bounds the page cache: a segment that fills needs a large one, an old one that is looked into a small one. */
export function openSegmentWriter(
  path: string,
  platform: Platform,
  cacheKib: number,
): SegmentWriter {
  const database = openForWriting(path, segmentSchema, cacheKib);
  const sql = prepareStatements(database);

  function held(row: Record<string, unknown>): HeldPost & { row: RecordRow } {
    const record = String(row.record);
    const counts = {
      likes: numberOrNull(row.likes),
      reposts: numberOrNull(row.reposts),
      replies: numberOrNull(row.replies),
      quotes: numberOrNull(row.quotes),
    };
    const id = row.id as bigint;
    const timeMs = Number(row.time_ms);
    return {
      id,
      timeMs,
      counts,
      revision: String(row.revision),
      imported: recordOrigin(record) === "import",
      record,
      row: { id, platform, timeMs, counts, record },
    };
  }

  function findById(id: bigint): (HeldPost & { uri: string; row: RecordRow }) | null {
    const row = sql.row.get(id);
    if (row === undefined) return null;
    const post = held(row);
    return { ...post, uri: recordUri(post.row) };
  }

  function findByUri(hash: bigint, uri: string): HeldPost | null {
    for (const { id } of sql.idsOfHash.all(hash)) {
      const post = findById(id as bigint);
      if (post?.uri === uri) return post;
    }
    return null;
  }

  function writeRow(post: WrittenPost, id: bigint, counts: PostCounts): void {
    sql.insertPost.run(
      id,
      post.timeMs,
      counts.likes,
      counts.reposts,
      counts.replies,
      counts.quotes,
      post.revision,
      post.record,
    );
    sql.insertTerms.run(id, post.terms);
  }

  /** Terms hold facets of the counts: those of a source that does not count are made anew with what is known. */
  function termsWith(post: PreparedPost, id: bigint, counts: PostCounts): string {
    if (sameCounts(post.counts, counts)) return post.terms;
    const { timeMs, record } = post;
    return indexTerms(decodeRecord({ id, platform, timeMs, counts, record })).join(" ");
  }

  function eraseRow(id: bigint): void {
    sql.deletePost.run(id);
    sql.deleteTerms.run(id);
  }

  return {
    begin: () => database.exec("BEGIN IMMEDIATE"),
    commit: () => database.exec("COMMIT"),
    rollback: () => {
      if (database.isTransaction) database.exec("ROLLBACK");
    },
    posts: () => Number(sql.posts.get()?.value ?? 0),
    end: () => nextMillisecondId((sql.last.get()?.id as bigint | null) ?? 0n),
    findByUri,
    findById,
    holds: (id) => sql.exists.get(id) !== undefined,
    insert: (post, id) => {
      writeRow(post, id, post.counts);
      if (post.hash !== null) sql.insertUri.run(post.hash, id);
      sql.addPosts.run(1);
    },
    update: (post, { id, counts }) => {
      const merged = newestCounts(post.counts, counts);
      eraseRow(id);
      writeRow({ ...post, terms: termsWith(post, id, merged) }, id, merged);
    },
    remove: (id, hash) => {
      eraseRow(id);
      if (hash !== null) sql.deleteUri.run(hash, id);
      sql.addPosts.run(-1);
    },
    renumber: (id, to, hash) => {
      const post = findById(id);
      if (post === null) return;
      const terms = indexTerms(decodeRecord(post.row)).join(" ");
      eraseRow(id);
      sql.deleteUri.run(hash, id);
      writeRow({ ...post, terms }, to, post.counts);
      sql.insertUri.run(hash, to);
    },
    close: () => database.close(),
  };
}

/** A source that does not count leaves what is known. */
export function newestCounts(incoming: PostCounts, known: PostCounts): PostCounts {
  return {
    likes: incoming.likes ?? known.likes,
    reposts: incoming.reposts ?? known.reposts,
    replies: incoming.replies ?? known.replies,
    quotes: incoming.quotes ?? known.quotes,
  };
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
  const prepare = (text: string) => {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    return statement;
  };
  return {
    row: prepare("SELECT * FROM post WHERE id = ?"),
    exists: prepare("SELECT 1 FROM post WHERE id = ?"),
    last: prepare("SELECT max(id) AS id FROM post"),
    posts: prepare("SELECT value FROM setting WHERE name = 'posts'"),
    addPosts: prepare("UPDATE setting SET value = value + ? WHERE name = 'posts'"),
    idsOfHash: prepare("SELECT id FROM uri WHERE hash = ?"),
    insertUri: prepare("INSERT INTO uri(hash, id) VALUES(?, ?)"),
    deleteUri: prepare("DELETE FROM uri WHERE hash = ? AND id = ?"),
    insertPost: prepare("INSERT INTO post VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
    deletePost: prepare("DELETE FROM post WHERE id = ?"),
    insertTerms: prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)"),
    deleteTerms: prepare("DELETE FROM term WHERE rowid = ?"),
  };
}
