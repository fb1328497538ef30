import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../lib/errors.ts";

/** Safe for concurrent processes. */
export function migrate(
  connection: DatabaseSync,
  path: string,
  migrations: readonly string[],
): void {
  refuseNewerSchema(connection, path, migrations.length);
  if (schemaVersion(connection) === migrations.length) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated since the check.
    refuseNewerSchema(connection, path, migrations.length);
    for (const sql of migrations.slice(schemaVersion(connection))) connection.exec(sql);
    connection.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

/** Errors: `newer_schema`. */
export function refuseNewerSchema(connection: DatabaseSync, path: string, latest: number): void {
  const version = schemaVersion(connection);
  if (version <= latest) return;
  throw new EarshotError(
    "newer_schema",
    `${path} has schema ${version}, but this version of Earshot supports at most ${latest}`,
    { status: 503, hint: "use the version of Earshot that wrote it, or a later one" },
  );
}

export const schemaVersion = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA user_version").get()?.user_version);
