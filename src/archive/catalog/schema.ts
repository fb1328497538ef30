import { analyzerVersion } from "@earshot/query/text";

export const catalogMigrations: readonly string[] = [
  `
  CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE segment(
    platform TEXT NOT NULL, sequence INTEGER NOT NULL,
    low INTEGER NOT NULL,
    skew_min_ms INTEGER NOT NULL, skew_max_ms INTEGER NOT NULL,
    PRIMARY KEY(platform, sequence)
  ) WITHOUT ROWID;
  CREATE TABLE tombstone(
    platform TEXT NOT NULL, uri TEXT NOT NULL, revision TEXT NOT NULL,
    PRIMARY KEY(platform, uri)
  ) WITHOUT ROWID;
  CREATE TABLE handle(
    platform TEXT NOT NULL, user_id TEXT NOT NULL, handle TEXT NOT NULL, observed_ms INTEGER NOT NULL,
    PRIMARY KEY(platform, user_id, handle)
  ) WITHOUT ROWID;
  CREATE INDEX handle_by_name ON handle(handle);
  CREATE TABLE checkpoint(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE coverage(
    platform TEXT NOT NULL, source TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL,
    PRIMARY KEY(platform, source, from_ms)
  ) WITHOUT ROWID;
  INSERT INTO setting VALUES
    ('uri_key', lower(hex(randomblob(16)))), ('analyzer', '${analyzerVersion}');
`,
  `
  ALTER TABLE segment ADD COLUMN analyzer TEXT NOT NULL DEFAULT '0';
  ALTER TABLE segment ADD COLUMN optimised INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE segment ADD COLUMN rewriting INTEGER NOT NULL DEFAULT 0;
  UPDATE segment SET analyzer = coalesce((SELECT value FROM setting WHERE name = 'analyzer'), '0');
  DELETE FROM setting WHERE name = 'analyzer';
  CREATE TABLE retired(
    platform TEXT NOT NULL, sequence INTEGER NOT NULL, since_ms INTEGER NOT NULL,
    PRIMARY KEY(platform, sequence)
  ) WITHOUT ROWID;
  CREATE TABLE account(
    platform TEXT NOT NULL, user_id TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'active', status_ms INTEGER NOT NULL DEFAULT 0, deleted_ms INTEGER,
    name TEXT, labels TEXT NOT NULL DEFAULT '[]', profile_ms INTEGER NOT NULL DEFAULT 0,
    looked_up_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY(platform, user_id)
  ) WITHOUT ROWID;
  CREATE INDEX account_by_look_up ON account(platform, looked_up_ms);
  CREATE TABLE label(
    platform TEXT NOT NULL, subject TEXT NOT NULL, source TEXT NOT NULL, value TEXT NOT NULL,
    created_ms INTEGER NOT NULL, negated INTEGER NOT NULL, expires_ms INTEGER,
    PRIMARY KEY(platform, subject, source, value)
  ) WITHOUT ROWID;
  CREATE INDEX label_by_expiry ON label(expires_ms) WHERE expires_ms IS NOT NULL;
  CREATE TABLE unjudged(
    platform TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY(platform, subject)
  ) WITHOUT ROWID;
  CREATE TABLE count_change(
    generation INTEGER NOT NULL, platform TEXT NOT NULL, uri TEXT NOT NULL, metric TEXT NOT NULL, added INTEGER NOT NULL,
    PRIMARY KEY(generation, platform, uri, metric)
  ) WITHOUT ROWID;
  CREATE TABLE strayed(
    platform TEXT NOT NULL, hash INTEGER NOT NULL, id INTEGER NOT NULL,
    PRIMARY KEY(platform, hash, id)
  ) WITHOUT ROWID;
  CREATE TABLE interval(
    platform TEXT NOT NULL, collection TEXT NOT NULL, account TEXT NOT NULL, source TEXT NOT NULL,
    from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL,
    PRIMARY KEY(account, platform, collection, source, from_ms)
  ) WITHOUT ROWID;
  INSERT INTO interval SELECT platform, 'posts', '', source, from_ms, to_ms FROM coverage;
  DROP TABLE coverage;
  INSERT INTO setting VALUES ('arrival', '0'), ('arrivals_from', '0'), ('generation', '1'), ('count_step', '0');
`,
  `
  CREATE TABLE wanted_rewrite(
    platform TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY(platform, sequence)
  ) WITHOUT ROWID;
`,
  `
  CREATE TABLE alias(
    platform TEXT NOT NULL, hash INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY(platform, hash)
  ) WITHOUT ROWID;
`,
  `
  CREATE TABLE wanted_seal(
    platform TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY(platform, sequence)
  ) WITHOUT ROWID;
`,
  // -1 means not committed, or retired by an earlier version.
  `
  ALTER TABLE retired ADD COLUMN commit_number INTEGER NOT NULL DEFAULT -1;
  INSERT INTO setting VALUES ('commit_number', '0'), ('identified', '0');
`,
  `
  ALTER TABLE alias ADD COLUMN name TEXT;
  CREATE INDEX alias_by_id ON alias(platform, id) WHERE name IS NOT NULL;
`,
  `
  ALTER TABLE segment ADD COLUMN written_in INTEGER NOT NULL DEFAULT 0;
`,
  `
  CREATE TABLE catalog_sum(
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, rows INTEGER NOT NULL, sum INTEGER NOT NULL
  ) WITHOUT ROWID;
`,
  `
  ALTER TABLE segment ADD COLUMN numbering INTEGER NOT NULL DEFAULT 0;
`,
  // Empty: the new version makes `openCatalog` migrate the segments, which gain the filter table.
  "",
  `
  ALTER TABLE strayed RENAME TO misplaced;
  ALTER TABLE unjudged RENAME TO pending_moderation;
  ALTER TABLE wanted_rewrite RENAME TO pending_rewrite;
  ALTER TABLE wanted_seal RENAME TO pending_seal;
  UPDATE setting SET name = 'ingest_number' WHERE name = 'arrival';
  UPDATE setting SET name = 'ingest_order_from' WHERE name = 'arrivals_from';
`,
  // Empty: the new version makes `fillCatalogChecksums` recompute the checksums, which could be
  // wrong.
  "",
];
