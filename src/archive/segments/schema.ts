import { analyzerVersion } from "@earshot/query/text";
import { unicodeVersion } from "../../lib/unicode-version.ts";
import { sealedMigrations } from "../sealed/format.ts";

/** Punctuation belongs to tokens: only white space separates them. Quoted for SQL. */
export const indexPunctuation = "!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~";

/**
 * A segment: posts of an ID range, their FTS5 index, and, unless IDs follow from the uri, IDs by uri hash. Also the hidden
 * posts, the ingest order, and, during a rewrite, the changed posts. If the segment is sealed (`sealed/format.ts`), FTS5
 * contains only its delta. Rows of `post` have a checksum (`row-sum.ts`).
 *
 * Settings: `posts` and `imported` (numbers of posts), `counted` (the last generation of count changes applied),
 * `sealed_bytes` (size of the sealed index when built), `unsummed` (present if rows may lack checksums), `analyzer`,
 * `unicode` and `numbering` (versions when the file was created; for tokens the catalog is authoritative), and the identity
 * (`identity.ts`).
 */
export const segmentMigrations: readonly string[] = [
  `
  CREATE TABLE setting(name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
  CREATE TABLE post(
    id INTEGER PRIMARY KEY,
    time_ms INTEGER NOT NULL,
    likes INTEGER, reposts INTEGER, replies INTEGER, quotes INTEGER,
    revision TEXT NOT NULL,
    record TEXT NOT NULL
  );
  CREATE TABLE uri(hash INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(hash, id)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE term USING fts5(
    terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '${indexPunctuation.replaceAll('"', '""')}'"
  );
  INSERT INTO term(term, rank) VALUES('hashsize', 8388608);
  INSERT INTO setting VALUES
    ('posts', 0), ('analyzer', ${analyzerVersion}), ('unicode', '${unicodeVersion}');
`,
  // The number of imported posts in old segments is unknown: all count as imported, so that none expires.
  `
  CREATE TABLE hidden(id INTEGER PRIMARY KEY);
  CREATE TABLE arrival(number INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, ids BLOB);
  CREATE INDEX arrival_number ON arrival(number);
  CREATE INDEX arrival_run ON arrival(low) WHERE ids IS NULL;
  CREATE TABLE changed(id INTEGER PRIMARY KEY);
  INSERT INTO setting SELECT 'imported', value FROM setting WHERE name = 'posts';
  INSERT INTO setting VALUES ('counted', 0);
`,
  sealedMigrations[0],
  // Older rows get checksums when their segment is rewritten.
  `
  ALTER TABLE post ADD COLUMN sum INTEGER;
  INSERT INTO setting SELECT 'unsummed', 1 FROM setting WHERE name = 'posts' AND value > 0;
`,
  // For a catalog rebuilt from its segments.
  `
  CREATE TABLE tombstone(uri TEXT NOT NULL PRIMARY KEY, revision TEXT NOT NULL);
  CREATE TABLE deleted_account(user_id TEXT NOT NULL PRIMARY KEY, deleted_ms INTEGER NOT NULL);
`,
  sealedMigrations[1],
  // For tables whose rows have no checksum (`table-sums.ts`); empty in old segments.
  "CREATE TABLE table_sum(name TEXT PRIMARY KEY, rows INTEGER NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID",
  "INSERT INTO setting SELECT 'numbering', value = 0 FROM setting WHERE name = 'posts'",
];
