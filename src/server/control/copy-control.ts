import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { lockFolder } from "../../db/folder-lock.ts";
import {
  insertRows,
  lastKeyIn,
  RowChecksum,
  readSourceRows,
  readTargetRows,
  type TextRow,
} from "../../db/postgres/copy/rows.ts";
import { type CopiedTable, listTables } from "../../db/postgres/copy/tables.ts";
import { postgresError } from "../../db/postgres/errors.ts";
import { migratePostgres } from "../../db/postgres/migrate.ts";
import { openPool, type Pool } from "../../db/postgres/pool.ts";
import { readStoreId } from "../../db/store-id.ts";
import { EarshotError } from "../../lib/errors.ts";
import { openControlForWriting } from "./control-operations.ts";

export type CopiedRows = { table: string; rows: number; sha256: string };

type CopyOptions = {
  dataDir: string;
  url: string;
  onProgress: (copied: number, total: number) => void;
};

/**
 * Copies control.db to PostgreSQL, then compares checksums. Resumes an interrupted copy; until it
 * ends, no gateway starts on the database. Errors: `no_control_store`, `control_missing`,
 * `control_foreign`, `folder_in_use`, `database_not_empty`, `copy_differs`, `newer_schema`,
 * `store_unavailable`.
 */
export async function copyControl({
  dataDir,
  url,
  onProgress,
}: CopyOptions): Promise<CopiedRows[]> {
  const path = join(dataDir, "control.db");
  if (!existsSync(path)) throw noStore(dataDir);
  const lock = lockFolder(dataDir);
  // No timeouts: a statement may copy many rows.
  const target = openPool({ url, gateway: "copy", connections: 1, timeoutMs: 0 });
  try {
    openControlForWriting(dataDir).close();
    const source = new DatabaseSync(path, { readOnly: true });
    try {
      await migratePostgres(target);
      return await copyTables(source, target, readStoreId(dataDir, "control") ?? "", onProgress);
    } finally {
      source.close();
    }
  } catch (error) {
    throw postgresError(error);
  } finally {
    await target.end({ timeout: 5 });
    lock.release();
  }
}

async function copyTables(
  source: DatabaseSync,
  target: Pool,
  sourceId: string,
  onProgress: CopyOptions["onProgress"],
): Promise<CopiedRows[]> {
  const tables = listTables(source);
  await begin(target, tables, sourceId);
  const counts = tables.map(({ name }) =>
    Number(source.prepare(`SELECT count(*) AS rows FROM ${name}`).get()?.rows),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  let copiedRows = 0;
  for (const table of tables) {
    await copyTable(source, target, table, (rows) => {
      copiedRows += rows;
      onProgress(copiedRows, total);
    });
  }
  const copiedTables: CopiedRows[] = [];
  for (const table of tables) copiedTables.push(await compareTables(source, target, table));
  await finish(target);
  return copiedTables;
}

async function begin(
  target: Pool,
  tables: readonly CopiedTable[],
  sourceId: string,
): Promise<void> {
  await target.begin(async (transaction) => {
    await transaction.unsafe("CREATE TABLE IF NOT EXISTS control_copy(source TEXT NOT NULL)");
    const [existingCopy] = await transaction.unsafe<{ source: string }[]>(
      "SELECT source FROM control_copy",
    );
    if (existingCopy?.source === sourceId) return;
    for (const { name } of tables) {
      const rows = await transaction.unsafe(`SELECT 1 FROM ${name} LIMIT 1`);
      if (rows.length > 0) throw notEmpty(name);
    }
    await transaction.unsafe("INSERT INTO control_copy VALUES($1)", [sourceId]);
  });
}

/** Maximum length of a statement, because rows may contain large results. */
const maxCharacters = 4_000_000;
const maxRows = 1_000;

async function copyTable(
  source: DatabaseSync,
  target: Pool,
  table: CopiedTable,
  onCopied: (rows: number) => void,
): Promise<void> {
  const lastKey = await lastKeyIn(target, table);
  let batch: TextRow[] = [];
  let batchLength = 0;

  async function insert(): Promise<void> {
    await insertRows(target, table, batch);
    onCopied(batch.length);
    batch = [];
    batchLength = 0;
  }

  for (const row of readSourceRows(source, table, lastKey)) {
    batch.push(row);
    batchLength += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    if (batch.length >= maxRows || batchLength >= maxCharacters) await insert();
  }
  if (batch.length > 0) await insert();
}

async function compareTables(
  source: DatabaseSync,
  target: Pool,
  table: CopiedTable,
): Promise<CopiedRows> {
  const [sourceChecksum, targetChecksum] = [new RowChecksum(), new RowChecksum()];
  for (const row of readSourceRows(source, table)) sourceChecksum.add(row);
  for await (const row of readTargetRows(target, table)) targetChecksum.add(row);
  const [expected, found] = [sourceChecksum.result(), targetChecksum.result()];
  if (expected.sha256 !== found.sha256) throw copyDiffers(table.name, expected.rows, found.rows);
  return { table: table.name, ...expected };
}

/** Ensures that new rows are numbered after the copied ones. */
async function finish(target: Pool): Promise<void> {
  const identityColumns = await target.unsafe<{ table: string; column: string }[]>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = current_schema() AND is_identity = 'YES'`,
  );
  await target.begin(async (transaction) => {
    for (const { table, column } of identityColumns) {
      await transaction.unsafe(
        `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), max(${column}))
         FROM ${table} HAVING max(${column}) IS NOT NULL`,
      );
    }
    await transaction.unsafe("DROP TABLE control_copy");
  });
  await target.unsafe("ANALYZE");
}

const noStore = (dataDir: string): EarshotError =>
  new EarshotError("no_control_store", `no control.db in ${dataDir}`, {
    hint: "set EARSHOT_DATA_DIR to the data folder of the service to move",
  });

const notEmpty = (table: string): EarshotError =>
  new EarshotError("database_not_empty", `the database already has rows in ${table}`, {
    hint: "copy to a new database on which no gateway has started",
  });

const copyDiffers = (table: string, expected: number, found: number): EarshotError =>
  new EarshotError(
    "copy_differs",
    `the copy of ${table} differs: it has ${found} rows, control.db has ${expected}`,
    {
      hint: "drop the database and copy to a new one: a server changed control.db during the copy",
    },
  );
