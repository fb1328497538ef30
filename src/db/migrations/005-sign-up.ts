/**
 * `identity.subject` is a code host and an account number, such as `github.com/583231`, because
 * names can change. Secrets are stored only as hashes, so no stored value can sign anyone in. A
 * session's former token is valid until `former_until_ms`, a rotated key until `expires_ms`.
 * `asker` is a hash of the client, `way` the sign-in method. `methods`: null means all. `owner_…`:
 * the owner's rates, never above those set on the command line. `account.ending` is set until the
 * account's jobs have ended or its rows are deleted.
 *
 * `closed_identity` lists deleted accounts as keyed hashes; a new account of the same user inherits
 * `earlier_key_times`. `audit` names accounts and keys by `audit_id`, which only their rows have:
 * deleting an account's row unlinks its entries.
 *
 * `usage`: one row per quarter hour, key and method ('' means all requests). `ingest_sample`:
 * stream progress per five minutes; `lag_ms` is null if unknown.
 */
export const control005 = `
  ALTER TABLE account ADD COLUMN role TEXT NOT NULL DEFAULT 'member';
  ALTER TABLE account ADD COLUMN suspended_ms INTEGER;
  ALTER TABLE account ADD COLUMN suspended_reason TEXT;
  ALTER TABLE account ADD COLUMN requests_per_second INTEGER;
  ALTER TABLE account ADD COLUMN submissions_per_minute INTEGER;
  ALTER TABLE account ADD COLUMN first_key_ms INTEGER;
  ALTER TABLE account ADD COLUMN audit_id TEXT;
  UPDATE account SET audit_id = lower(hex(randomblob(8)));
  CREATE UNIQUE INDEX account_audit ON account(audit_id);
  CREATE INDEX account_created ON account(created_ms, id);
  ALTER TABLE account ADD COLUMN earlier_key_times TEXT;
  ALTER TABLE account ADD COLUMN ending TEXT;
  CREATE INDEX account_ending ON account(ending) WHERE ending IS NOT NULL;

  ALTER TABLE api_key ADD COLUMN expires_ms INTEGER;
  ALTER TABLE api_key ADD COLUMN used_ms INTEGER;
  ALTER TABLE api_key ADD COLUMN used_from TEXT;
  ALTER TABLE api_key ADD COLUMN methods TEXT;
  ALTER TABLE api_key ADD COLUMN successor_id TEXT;
  ALTER TABLE api_key ADD COLUMN revoked_ms INTEGER;
  ALTER TABLE api_key ADD COLUMN owner_requests_per_second INTEGER;
  ALTER TABLE api_key ADD COLUMN owner_submissions_per_minute INTEGER;
  ALTER TABLE api_key ADD COLUMN audit_id TEXT;
  UPDATE api_key SET audit_id = lower(hex(randomblob(8)));
  CREATE INDEX api_key_audit ON api_key(audit_id);
  UPDATE account SET first_key_ms = created_ms WHERE id IN (SELECT account_id FROM api_key);

  CREATE TABLE identity(
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES account(id),
    login TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL,
    PRIMARY KEY(provider, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identity_account ON identity(account_id);

  CREATE TABLE session(
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account(id),
    generation INTEGER NOT NULL,
    asker TEXT NOT NULL,
    former_until_ms INTEGER,
    way TEXT NOT NULL,
    agent TEXT NOT NULL,
    address_group TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    used_ms INTEGER NOT NULL,
    rotated_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_account ON session(account_id);
  CREATE INDEX session_expires ON session(expires_ms);

  CREATE TABLE sign_in_attempt(
    hash BLOB PRIMARY KEY,
    expires_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sign_in_attempt_expires ON sign_in_attempt(expires_ms);

  CREATE TABLE sign_in_link(
    hash BLOB PRIMARY KEY,
    account_id TEXT REFERENCES account(id),
    expires_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE closed_identity(
    hash BLOB PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    closings INTEGER NOT NULL,
    requests_per_second INTEGER,
    submissions_per_minute INTEGER,
    made_times TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX closed_identity_until ON closed_identity(until_ms);

  CREATE TABLE audit(
    sequence INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    subject TEXT,
    key TEXT,
    detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_subject ON audit(subject, sequence);
  CREATE TRIGGER audit_never_replaces BEFORE INSERT ON audit WHEN NEW.sequence IN (SELECT sequence FROM audit)
    BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
  CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
  CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;

  CREATE TABLE usage(
    account_id TEXT NOT NULL REFERENCES account(id),
    bucket_ms INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    method TEXT NOT NULL,
    calls INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    posts INTEGER NOT NULL,
    latencies TEXT NOT NULL,
    PRIMARY KEY(account_id, bucket_ms, key_id, method)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX usage_bucket ON usage(bucket_ms);

  CREATE TABLE ingest_sample(
    platform TEXT NOT NULL,
    bucket_ms INTEGER NOT NULL,
    lag_ms INTEGER,
    posts INTEGER NOT NULL,
    PRIMARY KEY(platform, bucket_ms)
  ) STRICT, WITHOUT ROWID;
`;
