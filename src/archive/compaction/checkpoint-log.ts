import { DatabaseSync } from "node:sqlite";

/** Moves what stands in a write-ahead log into its database, as far as nobody is in the way; nobody waits for it. */
export const emptyLog = (path: string): void => onDatabase(path, moveFrames);

/**
 * Moves what stands in a write-ahead log into its database and empties the file; false when a reader or a writer is in the
 * way. Nobody waits for it but for the emptying.
 */
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
