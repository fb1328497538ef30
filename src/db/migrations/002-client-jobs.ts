/**
 * `account.last_change` counts changes to the account's jobs; `job.change` is the number of the
 * job's latest change.
 */
export const control002 = `
  ALTER TABLE account ADD COLUMN last_change INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE job ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE job ADD COLUMN changed_ms INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX job_account ON job(account_id, submitted_ms, uuid);
  CREATE INDEX job_change ON job(account_id, change);
  DROP INDEX job_state;
  CREATE INDEX job_not_ended ON job(state) WHERE finished_ms IS NULL;

  CREATE TABLE idempotency(
    account_id TEXT NOT NULL REFERENCES account(id),
    key TEXT NOT NULL,
    request_hash BLOB NOT NULL,
    uuid TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY(account_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_created ON idempotency(created_ms);
`;
