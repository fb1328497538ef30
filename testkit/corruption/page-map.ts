import { DatabaseSync } from "node:sqlite";

export type TablePages = { table: string; pages: readonly number[] };

export function pageMap(path: string): { pageBytes: number; tables: TablePages[] } {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.page_size);
    const rows = database
      .prepare(
        "SELECT name, pageno FROM dbstat WHERE ncell > 0 OR payload > 0 ORDER BY name, pageno",
      )
      .all();
    const byTable = Map.groupBy(rows, ({ name }) => String(name));
    return {
      pageBytes,
      tables: [...byTable].map(([table, tableRows]) => ({
        table,
        pages: tableRows.map(({ pageno }) => Number(pageno)),
      })),
    };
  } finally {
    database.close();
  }
}
