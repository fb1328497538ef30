export const oauthGrants = `
  CREATE TABLE oauth_grant(
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account(id),
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    resource TEXT NOT NULL,
    methods TEXT NOT NULL,
    code_hash BYTEA NOT NULL,
    code_challenge TEXT NOT NULL,
    access_hash BYTEA,
    access_expires_ms BIGINT,
    family_hash BYTEA,
    refresh_hash BYTEA,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    used_ms BIGINT,
    used_from TEXT,
    revoked_ms BIGINT,
    audit_id TEXT NOT NULL
  );
  CREATE INDEX oauth_grant_account ON oauth_grant(account_id);
  CREATE INDEX oauth_grant_audit ON oauth_grant(audit_id);
  CREATE INDEX oauth_grant_expires ON oauth_grant(expires_ms);
`
  // Compared byte by byte, as SQLite does.
  .replaceAll(" TEXT", ' TEXT COLLATE "C"');
