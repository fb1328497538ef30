import { DatabaseSync } from "node:sqlite";

export const emptyLog = (path: string): void => onDatabase(path, moveFrames);

export const shortenLog = (path: string): boolean =>
  onDatabase(path, (database) => {
    moveFrames(database);
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  });

const moveFrames = (database: DatabaseSync): void =>
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");

function onDatabase<Value>(path: string, work: (database: DatabaseSync) => Value): Value {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
