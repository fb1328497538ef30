import type { DatabaseSync } from "node:sqlite";

type ColumnKind = "number" | "text" | "bytes";

export type CopiedTable = {
  name: string;
  columns: readonly { name: string; kind: ColumnKind }[];
  key: readonly string[];
};

type ColumnRow = { name: string; type: string; pk: number };

/** Each table comes after those it references. */
export function listTables(source: DatabaseSync): CopiedTable[] {
  const names = source
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  const orderedNames = new Set<string>();

  function add(name: string): void {
    if (orderedNames.has(name)) return;
    const parents = source.prepare('SELECT "table" FROM pragma_foreign_key_list(?)').all(name);
    for (const { table } of parents) if (table !== name) add(String(table));
    orderedNames.add(name);
  }

  for (const name of names) add(name);
  return [...orderedNames].map((name) => readTable(source, name));
}

function readTable(source: DatabaseSync, name: string): CopiedTable {
  const columns = source
    .prepare("SELECT name, type, pk FROM pragma_table_info(?)")
    .all(name) as ColumnRow[];
  const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, kind: getKind(column) })),
    key: key.length > 0 ? key.map((column) => column.name) : uniqueColumns(source, name),
  };
}

function uniqueColumns(source: DatabaseSync, table: string): string[] {
  const columns = source
    .prepare(
      `SELECT name FROM pragma_index_info((
         SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 ORDER BY seq LIMIT 1)) ORDER BY seqno`,
    )
    .all(table);
  return columns.map(({ name }) => String(name));
}

function getKind({ type }: ColumnRow): ColumnKind {
  if (type === "INTEGER") return "number";
  // Columns of type ANY contain only secrets, which are bytes.
  return type === "TEXT" ? "text" : "bytes";
}
