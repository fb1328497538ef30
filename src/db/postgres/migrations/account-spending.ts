/** A gateway of an earlier release counts for the deployment only; deleting an account there deletes its rows. */
export const accountSpending = `
  ALTER TABLE upstream_reservation ADD COLUMN account_id TEXT;
  CREATE TABLE upstream_account_use(
    account_id TEXT NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    month TEXT NOT NULL,
    platform TEXT NOT NULL,
    post_reads BIGINT NOT NULL DEFAULT 0,
    user_reads BIGINT NOT NULL DEFAULT 0,
    requests BIGINT NOT NULL DEFAULT 0,
    micro_usd BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY(account_id, month, platform)
  );
`
  // Compared byte by byte, as SQLite does.
  .replaceAll(" TEXT", ' TEXT COLLATE "C"');
