import { analyzerVersion, unicodeVersion } from "../../text/analyze.ts";

/** FTS5 is given tokens as they are: white space alone separates them, all punctuation belongs to them. */
const punctuation = "!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~";

/**
 * A segment: the rows of one range of IDs, the tokens they are found by, and, for platforms whose IDs do not follow from the
 * uri, where each uri lies. It remembers which analyzer, over which version of Unicode, made its tokens.
 */
export const segmentSchema = `
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
    terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '${punctuation.replaceAll('"', '""')}'"
  );
  INSERT INTO term(term, rank) VALUES('hashsize', 8388608);
  INSERT INTO setting VALUES
    ('posts', 0), ('analyzer', ${analyzerVersion}), ('unicode', '${unicodeVersion}');
`;
