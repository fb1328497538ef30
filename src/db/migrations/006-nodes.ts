export const control006 = `
  CREATE TABLE node(
    id TEXT PRIMARY KEY,
    identity_key TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    evidence TEXT NOT NULL,
    capabilities TEXT NOT NULL,
    concurrency INTEGER NOT NULL,
    url TEXT,
    version TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL,
    attested_ms INTEGER NOT NULL,
    attestation_id TEXT NOT NULL,
    quarantined_until_ms INTEGER,
    quarantine_reason TEXT,
    quarantines INTEGER NOT NULL DEFAULT 0,
    jobs_done INTEGER NOT NULL DEFAULT 0,
    jobs_failed INTEGER NOT NULL DEFAULT 0,
    machine TEXT,
    image TEXT,
    compose_hash TEXT,
    is_listed INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE attestation(
    id TEXT PRIMARY KEY,
    node_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    content TEXT NOT NULL,
    verified_ms INTEGER NOT NULL,
    kept_until_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attestation_kept ON attestation(kept_until_ms);
  CREATE INDEX attestation_node ON attestation(node_id, verified_ms);

  CREATE TABLE spot_check(
    id INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    uuid TEXT NOT NULL,
    first_node TEXT NOT NULL,
    second_node TEXT NOT NULL,
    outcome TEXT NOT NULL,
    differences TEXT NOT NULL
  ) STRICT;
  CREATE INDEX spot_check_at ON spot_check(at_ms);
  CREATE INDEX spot_check_uuid ON spot_check(uuid);

  CREATE TABLE node_event(
    id INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    node_id TEXT,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
`;
