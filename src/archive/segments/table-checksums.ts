import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { isDamage } from "../sealed/damage.ts";
import {
  cellChecksums,
  checksumDelta,
  checksumModulus,
  type Delta,
  type NumberTable,
  numberChecksums,
  numberTables,
  rowChecksumSql,
} from "./changeset.ts";

/**
 * For each table without row checksums, `table_sum` has the number of rows and the sum of their
 * checksums, which every write transaction updates. A flipped bit, a lost page or a page
 * overwritten with another causes a lasting difference.
 *
 * The checksums of FTS5's blocks are CRC-32. Those of tables with one row per post are computed in
 * SQL (`changeset.ts`), which is fast enough for verification before the first search.
 */
const blockTables = {
  term_data: { key: ["id"], others: ["block"] },
  term_idx: { key: ["segid", "term"], others: ["pgno"] },
} as const;
type BlockTable = keyof typeof blockTables;
type Table = BlockTable | NumberTable;
const isBlockTable = (table: Table): table is BlockTable => table in blockTables;
export const checksummedTables: readonly Table[] = [
  ...(Object.keys(blockTables) as BlockTable[]),
  ...(Object.keys(numberTables) as NumberTable[]),
];

export type TableChecksums = {
  /** Call after the transaction has begun. */
  begin(): void;
  end(): void;
  discard(): void;
};

export function openTableChecksums(database: DatabaseSync): TableChecksums {
  const updateChecksum = database.prepare(
    `UPDATE table_sum SET rows = rows + ?1, sum = ((sum + ?2) % ${checksumModulus} + ${checksumModulus}) % ${checksumModulus}
     WHERE name = ?3`,
  );
  const selectAnyChecksum = database.prepare("SELECT 1 FROM table_sum LIMIT 1");
  let sessions: { table: Table; session: ReturnType<DatabaseSync["createSession"]> }[] = [];

  function discard(): void {
    for (const { session } of sessions) session.close();
    sessions = [];
  }

  return {
    begin: () => {
      discard();
      if (selectAnyChecksum.get() === undefined) return;
      sessions = checksummedTables.map((table) => ({
        table,
        session: database.createSession({ table }),
      }));
    },
    end: () => {
      if (sessions.length === 0) return;
      // Makes FTS5 flush its pending terms.
      database.exec("SAVEPOINT gathered; RELEASE gathered");
      const deltas = sessions.map(({ table, session }) =>
        checksumDelta(
          session.changeset(),
          isBlockTable(table) ? cellChecksums(table) : numberChecksums,
        ),
      );
      discard();
      for (const [index, { rows, sum }] of deltas.entries()) {
        if (rows !== 0 || sum !== 0)
          updateChecksum.run(rows, sum, checksummedTables[index] as Table);
      }
    },
    discard,
  };
}

const rowsPerStep = 200;

/** Requires a transaction. */
export function* updateTableChecksums(database: DatabaseSync): Generator<"worked", void> {
  const insertChecksum = database.prepare("INSERT OR REPLACE INTO table_sum VALUES(?, ?, ?)");
  for (const table of checksummedTables) {
    const { rows, sum } = yield* readChecksum(database, table, Number.POSITIVE_INFINITY);
    insertChecksum.run(table, rows, sum);
  }
}

/** Requires a snapshot. Errors: those of SQLite if the schema or the checksums are unreadable. */
export function* damagedTables(database: DatabaseSync): Generator<"worked", string[]> {
  if (!hasTableChecksums(database)) return [];
  const selectChecksum = database.prepare("SELECT rows, sum FROM table_sum WHERE name = ?");
  const hasAnyChecksum = database.prepare("SELECT 1 FROM table_sum LIMIT 1").get() !== undefined;
  if (!hasAnyChecksum) return [];
  const damagedNames: string[] = [];
  for (const table of checksummedTables) {
    const row = selectChecksum.get(table);
    const computedChecksum = yield* ifReadable(
      readChecksum(database, table, Number(row?.rows ?? 0)),
    );
    if (
      computedChecksum === null ||
      row?.rows !== computedChecksum.rows ||
      row.sum !== computedChecksum.sum
    )
      damagedNames.push(table);
  }
  return damagedNames;
}

function* ifReadable(steps: Generator<"worked", Delta>): Generator<"worked", Delta | null> {
  try {
    return yield* steps;
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

const hasTableChecksums = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'table_sum'").get() !== undefined;

/** Stops after `maxRows`, because a scan of a damaged table may loop. */
const readChecksum = (
  database: DatabaseSync,
  table: Table,
  maxRows: number,
): Generator<"worked", Delta> =>
  isBlockTable(table)
    ? readBlocks(database, table, maxRows)
    : readNumbers(database, table, maxRows);

const numbersPerStep = 20_000;

function* readNumbers(
  database: DatabaseSync,
  table: NumberTable,
  maxRows: number,
): Generator<"worked", Delta> {
  const key = numberTables[table].key.join();
  const placeholders = numberTables[table].key.map(() => "?").join();
  const checksumSql = (condition: string): string =>
    `SELECT count(*) AS rows, coalesce(sum(${rowChecksumSql(table)}), 0) % ${checksumModulus} AS sum FROM ${table}
     WHERE (${key}) > (${placeholders}) ${condition}`;
  const selectEnd = database.prepare(
    `SELECT ${key} FROM ${table} WHERE (${key}) > (${placeholders}) ORDER BY ${key} LIMIT 1 OFFSET ${numbersPerStep - 1}`,
  );
  selectEnd.setReadBigInts(true);
  selectEnd.setReturnArrays(true);
  const selectUpTo = database.prepare(checksumSql(`AND (${key}) <= (${placeholders})`));
  const statement = database.prepare(checksumSql(""));
  const total: Delta = { rows: 0, sum: 0 };
  for (let last = numberTables[table].key.map(() => minInteger); ; ) {
    const next = selectEnd.get(...last) as unknown as bigint[] | undefined;
    const row = next === undefined ? statement.get(...last) : selectUpTo.get(...last, ...next);
    total.rows += Number(row?.rows);
    total.sum = (total.sum + Number(row?.sum)) % checksumModulus;
    if (next === undefined || total.rows > maxRows) return total;
    last = next;
    yield "worked";
  }
}

function* readBlocks(
  database: DatabaseSync,
  table: BlockTable,
  maxRows: number,
): Generator<"worked", Delta> {
  const { key, others: valueColumns } = blockTables[table];
  const columns = [...key, ...valueColumns];
  const placeholders = key.map(() => "?").join();
  const select = database.prepare(
    `SELECT ${columns.join()} FROM ${table} WHERE (${key.join()}) > (${placeholders}) ORDER BY ${key.join()} LIMIT ${rowsPerStep}`,
  );
  select.setReadBigInts(true);
  select.setReturnArrays(true);
  const total: Delta = { rows: 0, sum: 0 };
  let last: Value[] = key.map((name) => (name === "term" ? noBytes : minInteger));
  for (;;) {
    const rows = select.all(...last) as unknown as Value[][];
    for (const row of rows) {
      const cells = row.map(getCell);
      const checksums = cellChecksums(table).of(cells.slice(0, key.length));
      total.rows += 1;
      total.sum += checksums.key;
      for (let index = key.length; index < cells.length; index++) {
        total.sum += checksums.cell(index, cells[index] ?? noBytes);
      }
      total.sum %= checksumModulus;
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < rowsPerStep || total.rows > maxRows) return total;
    last = end.slice(0, key.length);
    yield "worked";
  }
}

type Value = bigint | number | string | Uint8Array | null;
const minInteger = -(2n ** 63n);
const noBytes = new Uint8Array(0);

function getCell(value: Value): Uint8Array {
  if (value === null) return Uint8Array.of(5);
  if (typeof value === "bigint") {
    const cell = Buffer.allocUnsafe(9);
    cell[0] = 1;
    cell.writeBigInt64BE(value, 1);
    return cell;
  }
  if (typeof value === "number") {
    const cell = Buffer.allocUnsafe(9);
    cell[0] = 2;
    cell.writeDoubleBE(value, 1);
    return cell;
  }
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([
    Uint8Array.of(typeof value === "string" ? 3 : 4),
    getLength(bytes.length),
    bytes,
  ]);
}

function getLength(length: number): Uint8Array {
  const bytes: number[] = [length & 0x7f];
  for (let remainder = length >>> 7; remainder > 0; remainder >>>= 7)
    bytes.unshift((remainder & 0x7f) | 0x80);
  return Uint8Array.from(bytes);
}
