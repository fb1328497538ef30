/**
 * A process that serves the API writes its row every second, so that the next one, or another one
 * beside it, knows how long it has been down. `gateway.capabilities` is JSON, what its nodes can
 * do. `job.gateway` is the one whose node runs the job. `account.is_links_account` marks the
 * account that operators enter by one-time links.
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
