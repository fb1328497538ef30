import { DatabaseSync } from "node:sqlite";

export const checkpointWal = (path: string): void => onDatabase(path, checkpoint);

export const truncateWal = (path: string): boolean =>
  onDatabase(path, (database) => {
    checkpoint(database);
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  });

const checkpoint = (database: DatabaseSync): void =>
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");

function onDatabase<Value>(path: string, work: (database: DatabaseSync) => Value): Value {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
