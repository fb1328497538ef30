/** Times are Unix milliseconds; requests, results, failures and warnings are JSON. */
export const control001 = `
  CREATE TABLE setting(
    name TEXT PRIMARY KEY,
    value ANY NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE account(
    id TEXT PRIMARY KEY,
    name TEXT UNIQUE,
    created_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE api_key(
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account(id),
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL,
    requests_per_second INTEGER,
    submissions_per_minute INTEGER,
    created_ms INTEGER NOT NULL,
    revoked INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_key_account ON api_key(account_id);

  CREATE TABLE job(
    sequence INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES account(id),
    key_id TEXT NOT NULL,
    request TEXT NOT NULL,
    canonical_query TEXT NOT NULL,
    warnings TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    reader_deaths INTEGER NOT NULL DEFAULT 0,
    node TEXT,
    lease_token TEXT,
    lease_until_ms INTEGER,
    not_before_ms INTEGER NOT NULL DEFAULT 0,
    submitted_ms INTEGER NOT NULL,
    deadline_ms INTEGER NOT NULL,
    started_ms INTEGER,
    finished_ms INTEGER,
    expires_ms INTEGER,
    result TEXT,
    failure TEXT
  ) STRICT;
  CREATE INDEX job_state ON job(state);
  CREATE INDEX job_expires ON job(expires_ms) WHERE state = 'done';
  CREATE INDEX job_finished ON job(finished_ms) WHERE finished_ms IS NOT NULL;
`;
