import { EarshotError } from "../../lib/errors.ts";
import { postgresError } from "./errors.ts";
import { postgresMigrations } from "./migrations/migrations.ts";
import type { Pool } from "./pool.ts";

const migrationLock = 6_390_127_401;

/**
 * Each migration runs in a transaction under an advisory lock, and states the oldest schema whose
 * code works with its tables, so that processes of the previous release can keep running. Errors:
 * `newer_schema`, `store_unavailable`.
 */
export async function migratePostgres(pool: Pool): Promise<void> {
  try {
    for (let isDone = false; !isDone; ) isDone = await migrateOnce(pool);
  } catch (error) {
    throw postgresError(error);
  }
}

async function migrateOnce(pool: Pool): Promise<boolean> {
  return await pool.begin(async (transaction) => {
    await transaction.unsafe(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await transaction.unsafe(`CREATE TABLE IF NOT EXISTS control_schema(
      version BIGINT PRIMARY KEY, oldest BIGINT NOT NULL, made_at TIMESTAMPTZ NOT NULL DEFAULT now())`);
    const [latest] = await transaction.unsafe<{ version: number; oldest: number }[]>(
      "SELECT version, oldest FROM control_schema ORDER BY version DESC LIMIT 1",
    );
    const version = latest?.version ?? 0;
    if ((latest?.oldest ?? 0) > postgresMigrations.length) throw newerSchema(version);
    const nextMigration = postgresMigrations[version];
    if (nextMigration === undefined) return true;
    await transaction.unsafe("SET LOCAL statement_timeout TO 0");
    await transaction.unsafe(nextMigration.sql);
    await transaction.unsafe(
      `INSERT INTO control_schema(version, oldest) VALUES(${version + 1}, ${nextMigration.oldest})`,
    );
    return false;
  });
}

const newerSchema = (version: number): EarshotError =>
  new EarshotError(
    "newer_schema",
    `the control database has schema ${version}, but this version of Earshot supports at most ${postgresMigrations.length}`,
    { status: 503, hint: "use the version of Earshot that wrote it, or a later one" },
  );
