/** `sequence`: the write order of requests in the same millisecond. */
export const control013 = `
  CREATE TABLE key_request_in_order(
    sequence INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account(id),
    key_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    method TEXT NOT NULL,
    route TEXT NOT NULL,
    status INTEGER NOT NULL,
    code TEXT,
    duration_ms INTEGER NOT NULL,
    UNIQUE(account_id, key_id, at_ms, request_id)
  ) STRICT;
  INSERT INTO key_request_in_order(account_id, key_id, at_ms, request_id, method, route, status, code, duration_ms)
    SELECT account_id, key_id, at_ms, request_id, method, route, status, code, duration_ms
    FROM key_request ORDER BY at_ms, request_id;
  DROP TABLE key_request;
  ALTER TABLE key_request_in_order RENAME TO key_request;
  CREATE INDEX key_request_time ON key_request(at_ms);
`;
