export const keyRequests = `
  CREATE TABLE key_request(
    account_id TEXT NOT NULL REFERENCES account(id),
    key_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    method TEXT NOT NULL,
    route TEXT NOT NULL,
    status BIGINT NOT NULL,
    code TEXT,
    duration_ms BIGINT NOT NULL,
    PRIMARY KEY(account_id, key_id, at_ms, request_id)
  );
  CREATE INDEX key_request_time ON key_request(at_ms);
`
  // Compared byte by byte, as SQLite does.
  .replaceAll(" TEXT", ' TEXT COLLATE "C"');
