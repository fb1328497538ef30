/**
 * Access that an account has granted to an app. `expires_ms` applies to the code until it is
 * exchanged, which sets `access_hash`, and then to the refresh token. `family_hash`: hash of the
 * part that all refresh tokens of the grant share.
 */
export const control009 = `
  CREATE TABLE oauth_grant(
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account(id),
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    resource TEXT NOT NULL,
    methods TEXT NOT NULL,
    code_hash BLOB NOT NULL,
    code_challenge TEXT NOT NULL,
    access_hash BLOB,
    access_expires_ms INTEGER,
    family_hash BLOB,
    refresh_hash BLOB,
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    used_ms INTEGER,
    used_from TEXT,
    revoked_ms INTEGER,
    audit_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oauth_grant_account ON oauth_grant(account_id);
  CREATE INDEX oauth_grant_audit ON oauth_grant(audit_id);
  CREATE INDEX oauth_grant_expires ON oauth_grant(expires_ms);
`;
