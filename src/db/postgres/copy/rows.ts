import { createHash, type Hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Pool } from "../pool.ts";
import type { CopiedTable } from "./tables.ts";

/** Values in PostgreSQL's input format: numbers in decimal, bytes as `\x…`. */
export type TextRow = readonly (string | null)[];

const formatNames = ({ columns }: CopiedTable): string =>
  columns.map(({ name }) => name).join(", ");

/** In key order, which is the same in both databases. */
export function* readSourceRows(
  source: DatabaseSync,
  table: CopiedTable,
  after: TextRow | null = null,
): Generator<TextRow> {
  const key = table.key.join(", ");
  const placeholders = table.key.map(() => "?").join(", ");
  const condition = after === null ? "" : `WHERE (${key}) > (${placeholders})`;
  const statement = source.prepare(
    `SELECT ${formatNames(table)} FROM ${table.name} ${condition} ORDER BY ${key}`,
  );
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const values = after === null ? [] : listValues(table, after);
  for (const row of statement.iterate(...values)) {
    yield (row as unknown as readonly unknown[]).map(readText);
  }
}

export async function* readTargetRows(target: Pool, table: CopiedTable): AsyncGenerator<TextRow> {
  const columns = table.columns.map(({ name }) => `${name}::TEXT`).join(", ");
  const sql = `SELECT ${columns} FROM ${table.name} ORDER BY ${table.key.join(", ")}`;
  for await (const rows of target.unsafe(sql).values().cursor(fetchSize)) {
    yield* rows as unknown as TextRow[];
  }
}

const fetchSize = 500;

export async function lastKeyIn(target: Pool, table: CopiedTable): Promise<TextRow | null> {
  const columns = table.key.map((name) => `${name}::TEXT`).join(", ");
  const order = table.key.map((name) => `${name} DESC`).join(", ");
  const [last] = await target
    .unsafe(`SELECT ${columns} FROM ${table.name} ORDER BY ${order} LIMIT 1`)
    .values();
  return (last as TextRow | undefined) ?? null;
}

export async function insertRows(
  target: Pool,
  table: CopiedTable,
  rows: readonly TextRow[],
): Promise<void> {
  const objects = rows.map((row) =>
    Object.fromEntries(table.columns.map(({ name }, index) => [name, row[index]])),
  );
  const columns = formatNames(table);
  await target.unsafe(
    `INSERT INTO ${table.name}(${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::${table.name}, $1::TEXT::JSON)`,
    [JSON.stringify(objects)],
  );
}

export class RowChecksum {
  #count = 0;
  readonly #hash: Hash = createHash("sha256");

  add(row: TextRow): void {
    this.#count += 1;
    for (const value of row) {
      this.#hash.update(value === null ? "-" : `${Buffer.byteLength(value)}:${value}`);
    }
  }

  result(): { rows: number; sha256: string } {
    return { rows: this.#count, sha256: this.#hash.digest("hex") };
  }
}

function readText(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  // PostgreSQL's text cannot contain NUL.
  return String(value).replaceAll("\0", "\u{fffd}");
}

function listValues({ key, columns }: CopiedTable, after: TextRow): (string | bigint | Buffer)[] {
  return key.map((name, index) => {
    const text = after[index] ?? "";
    const column = columns.find((other) => other.name === name);
    if (column?.kind === "bytes") return Buffer.from(text.slice(2), "hex");
    return column?.kind === "number" ? BigInt(text) : text;
  });
}
