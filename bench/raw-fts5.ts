import { rmSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { readImportRecord, toPost } from "../src/ingest/import/record.ts";
import { indexTerms } from "../src/posts/terms.ts";

/** A baseline without Earshot: one FTS5 table over the archive's terms, one connection. */
export type RawFts5 = {
  /** Parameters: the FTS5 expression, lowest and highest ID. */
  selectNewest: StatementSync;
  close(): void;
};

const postsPerCommit = 20_000;

/** Replaces the file. Merges the whole index at the end. */
export function buildRaw(path: string, records: Iterable<Record<string, unknown>>): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;
    CREATE TABLE post(id INTEGER PRIMARY KEY, text TEXT);
    CREATE VIRTUAL TABLE term USING fts5(terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '!""#$%&''''()*+,-./:;<=>?@[\\]^_\`{|}~'");
    INSERT INTO term(term, rank) VALUES('hashsize', 33554432)`);
  const insertPost = database.prepare("INSERT INTO post VALUES(?, ?)");
  const insertTerms = database.prepare("INSERT INTO term(rowid, terms) VALUES(?, ?)");
  let uncommitted = 0;
  database.exec("BEGIN");
  for (const record of records) {
    const post = toPost(readImportRecord(record), "x", Date.now());
    insertPost.run(post.nativeId, post.text);
    insertTerms.run(post.nativeId, indexTerms(post).join(" "));
    if (++uncommitted < postsPerCommit) continue;
    database.exec("COMMIT; BEGIN");
    uncommitted = 0;
  }
  database.exec("COMMIT; INSERT INTO term(term) VALUES('optimize')");
  database.close();
}

export function openRaw(path: string, cacheKib: number, limit: number): RawFts5 {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA mmap_size = 0`);
  const selectNewest = database.prepare(
    `SELECT post.id, post.text FROM term JOIN post ON post.id = term.rowid
     WHERE term MATCH ? AND term.rowid BETWEEN ? AND ? ORDER BY term.rowid DESC LIMIT ${limit}`,
  );
  selectNewest.setReadBigInts(true);
  selectNewest.setReturnArrays(true);
  return { selectNewest, close: () => database.close() };
}
