import { DatabaseSync } from "node:sqlite";

/** Written by triggers, so that a kill cannot separate it from its cause. */
export type Change = {
  number: number;
  uuid: string;
  keyId: string;
  state: string;
  token: string | null;
  node: string | null;
  signer: string | null;
};

export type WatchedStore = {
  changes(): Change[];
  /** By job uuid. */
  resultCounts(): Map<string, number>;
  jobCountsByState(): Map<string, number>;
  close(): void;
};

const watchSql = `
  CREATE TABLE watched(
    number INTEGER PRIMARY KEY, uuid TEXT, key_id TEXT, state TEXT, token TEXT, node TEXT,
    result INTEGER, signer TEXT
  );
  CREATE TRIGGER watched_insert AFTER INSERT ON job BEGIN
    INSERT INTO watched(uuid, key_id, state, token, node, result)
      VALUES (NEW.uuid, NEW.key_id, NEW.state, NEW.lease_token, NEW.node, 0);
  END;
  CREATE TRIGGER watched_update AFTER UPDATE OF state, lease_token, result ON job
  WHEN NEW.state IS NOT OLD.state OR NEW.lease_token IS NOT OLD.lease_token OR NEW.result IS NOT OLD.result BEGIN
    INSERT INTO watched(uuid, key_id, state, token, node, result, signer)
      VALUES (NEW.uuid, NEW.key_id, NEW.state, NEW.lease_token, NEW.node, NEW.result IS NOT OLD.result,
        NEW.result ->> '$.signature.nodeId');
  END;
`;

export function watchStore(file: string): WatchedStore {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(watchSql);
  const countsFrom = (sql: string): Map<string, number> =>
    new Map(
      database
        .prepare(sql)
        .all()
        .map(({ name, count }) => [String(name), Number(count)]),
    );
  return {
    changes: () =>
      database
        .prepare(
          "SELECT number, uuid, key_id AS keyId, state, token, node, signer FROM watched ORDER BY number",
        )
        .all() as Change[],
    resultCounts: () =>
      countsFrom(
        "SELECT uuid AS name, count(*) AS count FROM watched WHERE result = 1 GROUP BY uuid",
      ),
    jobCountsByState: () =>
      countsFrom("SELECT state AS name, count(*) AS count FROM job GROUP BY state"),
    close: () => database.close(),
  };
}
