import { analyzerVersion, unicodeVersion } from "../../text/analyze.ts";
import { sealedMigrations } from "../sealed/format.ts";

/** FTS5 is given tokens as they are: white space alone separates them, all punctuation belongs to them. As SQL writes it. */
export const indexPunctuation = "!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~";

/**
 * A segment: the rows of one range of IDs, the tokens they are found by, and, for platforms whose IDs do not follow from the
 * uri, where each uri lies. Beside them stand which posts are hidden, in which order the posts arrived, and, while the
 * segment is being rewritten, which posts were changed meanwhile. A segment that hardly changes any more is sealed: its file
 * has an index of another form (`sealed/format.ts`), and FTS5 holds only what was written to it since.
 *
 * A row of `post` carries the checksum of everything in it (`row-sum.ts`).
 *
 * Settings: `posts` and `imported` (how many, and how many of them imports brought), `counted` (the last generation of count
 * changes that was added here), `sealed_bytes` (what the index that it was sealed with took), `unsummed` (there where rows may have no sum), `analyzer` and `unicode` (what made
 * the tokens when the file was made; the catalog decides), `numbering` (how its posts were numbered when the file was made), and who the segment is (`identity.ts`).
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
  // A segment of the first form does not know how many of its posts were imported: all count as if they were, and none ages out.
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
  // Rows of earlier forms have no sum until their segment is rewritten.
  `
  ALTER TABLE post ADD COLUMN sum INTEGER;
  INSERT INTO setting SELECT 'unsummed', 1 FROM setting WHERE name = 'posts' AND value > 0;
`,
  // What a catalog that is rebuilt from its segments needs to keep out what was deleted.
  `
  CREATE TABLE tombstone(uri TEXT NOT NULL PRIMARY KEY, revision TEXT NOT NULL);
  CREATE TABLE deleted_account(user_id TEXT NOT NULL PRIMARY KEY, deleted_ms INTEGER NOT NULL);
`,
  sealedMigrations[1],
  // Of tables whose rows have no checksum (`table-sums.ts`); empty in a segment of an earlier form.
  "CREATE TABLE table_sum(name TEXT PRIMARY KEY, rows INTEGER NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID",
  "INSERT INTO setting SELECT 'numbering', value = 0 FROM setting WHERE name = 'posts'",
];
