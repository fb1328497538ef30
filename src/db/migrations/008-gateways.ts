/**
 * Each gateway writes its row every second, to show that it is up. `account.is_links_account`:
 * sign-in links that name no account sign in to this one.
 */
export const control008 = `
  CREATE TABLE gateway(
    id TEXT PRIMARY KEY,
    seen_ms INTEGER NOT NULL,
    capabilities TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT INTO gateway SELECT 'only', value, NULL FROM setting WHERE name = 'heartbeat';

  ALTER TABLE job ADD COLUMN gateway TEXT;
  ALTER TABLE account ADD COLUMN is_links_account INTEGER NOT NULL DEFAULT 0;
  UPDATE account SET is_links_account = 1
    WHERE id IN (SELECT value FROM setting WHERE name = 'operator_account');
  DELETE FROM setting WHERE name IN ('heartbeat', 'operator_account');
`;
