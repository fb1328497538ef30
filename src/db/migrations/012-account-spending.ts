/**
 * Spending of an account's requests with the deployment's credentials; `upstream_use` includes it. Gateways of an earlier
 * release count for the deployment only; the foreign key deletes the rows with the account.
 */
export const control012 = `
  ALTER TABLE upstream_reservation ADD COLUMN account_id TEXT;
  CREATE TABLE upstream_account_use(
    account_id TEXT NOT NULL REFERENCES account(id) ON DELETE CASCADE,
    month TEXT NOT NULL,
    platform TEXT NOT NULL,
    post_reads INTEGER NOT NULL DEFAULT 0,
    user_reads INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    micro_usd INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY(account_id, month, platform)
  ) STRICT, WITHOUT ROWID;
`;
