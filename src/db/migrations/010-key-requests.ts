export const control010 = `
  CREATE TABLE key_request(
    account_id TEXT NOT NULL REFERENCES account(id),
    key_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    method TEXT NOT NULL,
    route TEXT NOT NULL,
    status INTEGER NOT NULL,
    code TEXT,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY(account_id, key_id, at_ms, request_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX key_request_time ON key_request(at_ms);
`;
