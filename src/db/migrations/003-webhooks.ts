/**
 * Secrets are encrypted; the former secret is valid until `former_until_ms`. `failing_since_ms`:
 * the first failure since the latest success. A delivery is pending while `next_ms` is set;
 * `failures` counts failed attempts since the last replay, `attempts` all attempts. `due_ms` is
 * null if a webhook is disabled or has no pending delivery.
 */
export const control003 = `
  CREATE TABLE webhook(
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES account(id),
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    sealed_secret BLOB NOT NULL,
    former_sealed_secret BLOB,
    former_until_ms INTEGER,
    created_ms INTEGER NOT NULL,
    failing_since_ms INTEGER,
    disabled_ms INTEGER,
    disabled_reason TEXT,
    due_ms INTEGER,
    last_number INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_account ON webhook(account_id);
  CREATE INDEX webhook_due ON webhook(failing_since_ms IS NULL, due_ms) WHERE due_ms IS NOT NULL;

  CREATE TABLE webhook_delivery(
    id TEXT NOT NULL UNIQUE,
    webhook_id TEXT NOT NULL REFERENCES webhook(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    next_ms INTEGER,
    last_ms INTEGER,
    delivered_ms INTEGER,
    last_status INTEGER,
    last_error TEXT
  ) STRICT;
  CREATE INDEX webhook_delivery_number ON webhook_delivery(webhook_id, number, next_ms, delivered_ms);
  CREATE INDEX webhook_delivery_next ON webhook_delivery(webhook_id, next_ms, number) WHERE next_ms IS NOT NULL;
  CREATE INDEX webhook_delivery_created ON webhook_delivery(created_ms);
`;
