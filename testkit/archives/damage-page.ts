import { closeSync, openSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

export function damageTablePage(path: string, table: string): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table);
  const size = database.prepare("PRAGMA page_size").get()?.page_size;
  database.close();
  const file = openSync(path, "r+");
  const offset = (Number(page?.rootpage) - 1) * Number(size);
  writeSync(file, new Uint8Array(100).fill(0xff), 0, 100, offset);
  closeSync(file);
}
