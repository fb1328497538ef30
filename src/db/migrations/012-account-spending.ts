/**
 * Each account's use of the deployment's credentials, also counted in `upstream_use`. Gateways of
 * earlier releases record only the deployment's total.
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
