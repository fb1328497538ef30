/**
 * `account_id` is null for the deployment's credentials. Until `renewing_until_ms`, a process is
 * renewing the credential. `hint`: the secret's first characters. `credential_cooling`: exhausted
 * rate limits by bucket.
 *
 * `upstream_reservation`: spending reserved before a paid request. `upstream_use`: spending per
 * month (UTC, `2026-11`), in platform units and millionths of a dollar. `fetched_post` maps an
 * upstream ID to a uri, for the account that received the post.
 */
export const control004 = `
  CREATE TABLE credential(
    id TEXT PRIMARY KEY,
    account_id TEXT REFERENCES account(id),
    platform TEXT NOT NULL,
    kind TEXT NOT NULL,
    host TEXT NOT NULL,
    subject TEXT,
    subject_name TEXT,
    hint TEXT NOT NULL,
    sealed_secret BLOB NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0,
    renewing_until_ms INTEGER,
    created_ms INTEGER NOT NULL,
    used_ms INTEGER,
    quarantined_ms INTEGER,
    quarantine_reason TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX credential_account ON credential(account_id, platform);

  CREATE TABLE credential_cooling(
    credential_id TEXT NOT NULL REFERENCES credential(id) ON DELETE CASCADE,
    bucket TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY(credential_id, bucket)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE upstream_use(
    month TEXT NOT NULL,
    platform TEXT NOT NULL,
    credential_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    post_reads INTEGER NOT NULL DEFAULT 0,
    user_reads INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    micro_usd INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY(month, platform, credential_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE upstream_reservation(
    id INTEGER PRIMARY KEY,
    job_uuid TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    month TEXT NOT NULL,
    platform TEXT NOT NULL,
    credential_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    post_reads INTEGER NOT NULL,
    user_reads INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    micro_usd INTEGER NOT NULL,
    made_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX upstream_reservation_job ON upstream_reservation(job_uuid);
  CREATE INDEX upstream_reservation_made ON upstream_reservation(made_ms);

  CREATE TABLE fetched_post(
    account_id TEXT NOT NULL REFERENCES account(id),
    platform TEXT NOT NULL,
    id INTEGER NOT NULL,
    uri TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY(account_id, platform, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX fetched_post_until ON fetched_post(until_ms);
`;
