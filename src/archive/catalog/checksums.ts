import type { DatabaseSync, Session } from "node:sqlite";
import { runToEnd } from "../../lib/run-to-end.ts";
import { endSnapshot, inTransaction, setTransactionHooks } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { checksumDeltas, checksumModulus, type Delta } from "../segments/changeset.ts";
import { catalogMigrations } from "./schema.ts";
import { catalogRowChecksum, type StoredValue, valueChecksums } from "./value-checksums.ts";

/**
 * SQLite does not detect corrupted values, which could hide posts. For each table and the schema,
 * `catalog_sum` has the row count and the sum of row checksums. Connections opened by `openCatalog`
 * update it.
 */
const version = catalogMigrations.length;
const checksumTable = "catalog_sum";
const schemaName = "sqlite_schema";

export function fillCatalogChecksums(catalog: DatabaseSync): void {
  if (isFilled(catalog)) return;
  inTransaction(catalog, () => {
    if (isFilled(catalog)) return;
    catalog.exec(`DELETE FROM ${checksumTable}`);
    const insertChecksum = catalog.prepare(`INSERT INTO ${checksumTable} VALUES(?, ?, ?, ?)`);
    for (const table of [schemaName, ...listTables(catalog)]) {
      const { rows, sum } = runToEnd(readChecksum(catalog, table, Number.POSITIVE_INFINITY));
      insertChecksum.run(table, version, rows, sum);
    }
  });
}

const isFilled = (catalog: DatabaseSync): boolean =>
  catalog.prepare(`SELECT 1 FROM ${checksumTable} WHERE version = ?`).get(version) !== undefined;

const listTables = (catalog: DatabaseSync): string[] =>
  catalog
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> ? AND name NOT LIKE 'sqlite%'",
    )
    .all(checksumTable)
    .map(({ name }) => String(name));

/**
 * A statement prepared while no session existed may empty a table without reporting its rows.
 * Garbage collection would close an unreferenced session.
 */
const permanentSessions = new WeakMap<DatabaseSync, Session>();

/** Covers only transactions that `inTransaction` or `commitAfter` executes on this connection. */
export function maintainCatalogChecksums(catalog: DatabaseSync): void {
  const updateChecksum = catalog.prepare(
    `UPDATE ${checksumTable} SET rows = rows + ?1, sum = ((sum + ?2) % ${checksumModulus} + ${checksumModulus}) % ${checksumModulus}
     WHERE name = ?3`,
  );
  permanentSessions.set(catalog, catalog.createSession({ table: checksumTable }));
  let session: Session | null = null;

  function discard(): void {
    session?.close();
    session = null;
  }

  setTransactionHooks(catalog, {
    begin: () => {
      discard();
      session = catalog.createSession();
    },
    end: () => {
      const deltas =
        session === null ? [] : checksumDeltas(session.changeset(), () => valueChecksums);
      discard();
      for (const [table, { rows, sum }] of deltas) updateChecksum.run(rows, sum, table);
    },
    discard,
  });
}

export type CatalogDamage = {
  tables: string[];
  structure: string[];
};

export const damagedCatalogTables = (catalog: DatabaseSync): string[] =>
  runToEnd(damagedTablesInSteps(catalog));

export const damagedTablesAmong = (catalog: DatabaseSync, tables: readonly string[]): string[] =>
  runToEnd(damagedTablesInSteps(catalog, tables));

export const catalogDamage = (catalog: DatabaseSync): CatalogDamage => ({
  tables: damagedCatalogTables(catalog),
  structure: structureDamage(catalog),
});

/** Reads one snapshot; yields every few thousand rows. */
export function* damagedTablesInSteps(
  catalog: DatabaseSync,
  names: readonly string[] | null = null,
): Generator<void, string[]> {
  catalog.exec("BEGIN");
  try {
    if (!hasChecksums(catalog)) return [];
    const storedChecksums = catalog
      .prepare(`SELECT name, rows, sum FROM ${checksumTable}`)
      .all()
      .map(({ name, rows, sum }) => ({ name: String(name), rows, sum }))
      .filter(({ name }) => names === null || names.includes(name));
    const damagedNames: string[] = [];
    for (const { name, rows, sum } of storedChecksums) {
      const computedChecksum = yield* ifReadable(readChecksum(catalog, name, Number(rows)));
      if (
        computedChecksum === null ||
        computedChecksum.rows !== rows ||
        computedChecksum.sum !== sum
      )
        damagedNames.push(name);
    }
    return damagedNames;
  } finally {
    endSnapshot(catalog);
  }
}

const hasChecksums = (catalog: DatabaseSync): boolean =>
  catalog.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(checksumTable) !== undefined &&
  isFilled(catalog);

const maxFindings = 20;
const harmlessFinding = /never used$/;

export function structureDamage(catalog: DatabaseSync): string[] {
  try {
    return catalog
      .prepare(`PRAGMA integrity_check(${maxFindings})`)
      .all()
      .flatMap(({ integrity_check }) => String(integrity_check).split("\n"))
      .filter((line) => line !== "ok" && !line.startsWith("***") && !harmlessFinding.test(line));
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return ["cannot be read"];
  }
}

function* ifReadable<Value>(steps: Generator<void, Value>): Generator<void, Value | null> {
  try {
    return yield* steps;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return null;
  }
}

const isUnreadable = (error: unknown): boolean => isDamage(error) || isSqlError(error);

const isSqlError = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "errcode" in error && error.errcode === 1;

const rowsPerStep = 5_000;

/** Stops after `maxRows`, because a damaged B-tree may loop. */
function* readChecksum(
  catalog: DatabaseSync,
  table: string,
  maxRows: number,
): Generator<void, Delta> {
  const isSchema = table === schemaName;
  const statement = catalog.prepare(
    isSchema
      ? "SELECT name, type, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%'"
      : `SELECT * FROM "${table}" NOT INDEXED`,
  );
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const isKey = isSchema ? [true] : keyColumns(catalog, table);
  const total: Delta = { rows: 0, sum: 0 };
  for (const row of statement.iterate() as unknown as Iterable<StoredValue[]>) {
    total.rows += 1;
    total.sum = (total.sum + catalogRowChecksum(row, isKey)) % checksumModulus;
    if (total.rows > maxRows) break;
    if (total.rows % rowsPerStep === 0) yield;
  }
  return total;
}

const keyColumns = (catalog: DatabaseSync, table: string): boolean[] =>
  catalog
    .prepare("SELECT pk FROM pragma_table_info(?) ORDER BY cid")
    .all(table)
    .map(({ pk }) => pk !== 0);
