import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { controlMigrations } from "../../src/db/migrations/control.ts";
import { openStoreForWriting } from "../../src/db/open.ts";
import { migratePostgres } from "../../src/db/postgres/migrate.ts";
import { postgresMigrations } from "../../src/db/postgres/migrations/migrations.ts";
import { openPool, type Pool } from "../../src/db/postgres/pool.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";

let pool: Pool;

beforeAll(async () => {
  const { EARSHOT_DATABASE_URL: url = "" } = await databaseSettings();
  pool = openPool({ url, gateway: "test", connections: 8, timeoutMs: 5_000 });
});
afterAll(() => pool.end());

type Column = { name: string; kind: string; isRequired: boolean };

const kinds: Readonly<Record<string, string>> = {
  bigint: "INTEGER",
  text: "TEXT",
  bytea: "BLOB",
  ANY: "BLOB",
};

function inSqlite(): Map<string, Column[]> {
  const folder = mkdtempSync(join(tmpdir(), "earshot-"));
  const database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  const rows = database.all<{
    table: string;
    name: string;
    kind: string;
    required: number;
    key: number;
  }>(
    `SELECT tables.name AS "table", columns.name, columns.type AS kind, columns."notnull" AS required, columns.pk AS key
     FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`,
  );
  database.close();
  rmSync(folder, { recursive: true });
  return byTable(
    rows.map(({ table, name, kind, required, key }) => ({
      ...{ table, name, kind: kinds[kind] ?? kind, isRequired: required === 1 || key > 0 },
    })),
  );
}

async function inPostgres(): Promise<Map<string, Column[]>> {
  const rows = await pool.unsafe<{ table: string; name: string; kind: string; nullable: string }[]>(
    `SELECT table_name AS "table", column_name AS name, data_type AS kind, is_nullable AS nullable
     FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  return byTable(
    rows.map(({ table, name, kind, nullable }) => ({
      ...{ table, name, kind: kinds[kind] ?? kind, isRequired: nullable === "NO" },
    })),
  );
}

function byTable(columns: readonly (Column & { table: string })[]): Map<string, Column[]> {
  const tables = Map.groupBy(columns, ({ table }) => table);
  return new Map(
    [...tables].map(([table, own]) => [
      table,
      own
        .map(({ name, kind, isRequired }) => ({ name, kind, isRequired }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ]),
  );
}

test("gateways that start together create the tables once, with the same columns as in SQLite", async () => {
  await Promise.all(Array.from({ length: 5 }, () => migratePostgres(pool)));
  expect(await pool.unsafe("SELECT version FROM control_schema")).toHaveLength(
    postgresMigrations.length,
  );
  const [expected, found] = [inSqlite(), await inPostgres()];
  for (const own of ["control_schema", "rate", "failed_key"]) expect(found.delete(own)).toBe(true);
  const own = found.get("job")?.filter(({ name }) => name !== "post_ids") ?? [];
  expect(found.set("job", own)).toEqual(expected);
});

test("the rate tables of an earlier version are replaced, after which older gateways reject the database", async () => {
  await pool.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const [first] = postgresMigrations;
  await pool.unsafe(`${first?.sql}
    CREATE TABLE rate(id TEXT, policy TEXT, times BIGINT[], counts BIGINT[], used BIGINT, latest_us BIGINT, PRIMARY KEY(id, policy));
    CREATE TABLE failed_key(address_group TEXT, hash TEXT, at_us BIGINT, PRIMARY KEY(address_group, hash));
    INSERT INTO rate VALUES('key', 'burst', '{1}', '{1}', 1, 1);
    CREATE FUNCTION now_us() RETURNS BIGINT LANGUAGE sql AS 'SELECT 1::BIGINT';
    CREATE FUNCTION read_rate(of_id TEXT) RETURNS rate LANGUAGE sql AS 'SELECT * FROM rate WHERE id = of_id';
    CREATE TABLE control_schema(version BIGINT PRIMARY KEY, oldest BIGINT NOT NULL, made_at TIMESTAMPTZ NOT NULL DEFAULT now());
    INSERT INTO control_schema(version, oldest) VALUES(1, 1)`);
  await migratePostgres(pool);
  const [taken] = await pool.unsafe(
    "SELECT allowed, burst_remaining FROM take_calls(true, '{key}', '{3}', '{10}', 0, true, false)",
  );
  expect(taken).toEqual({ allowed: 1, burst_remaining: 2 });
  const [newest] = await pool.unsafe("SELECT max(oldest) AS oldest FROM control_schema");
  expect(newest).toEqual({ oldest: 3 });
});

test("a PostgreSQL schema of an incompatible version is rejected", async () => {
  await pool.unsafe("INSERT INTO control_schema(version, oldest) VALUES(99, 99)");
  await expect(migratePostgres(pool)).rejects.toMatchObject({ code: "newer_schema" });
});

test("the audit log in PostgreSQL cannot be changed or emptied", async () => {
  await pool.unsafe(
    "INSERT INTO audit(at_ms, action, actor, detail) VALUES(1, 'signed_in', 'service', '{}')",
  );
  for (const sql of ["UPDATE audit SET at_ms = 2", "DELETE FROM audit", "TRUNCATE audit"]) {
    await expect(pool.unsafe(sql)).rejects.toThrow("the audit log is only appended to");
  }
});
