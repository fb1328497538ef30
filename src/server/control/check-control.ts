import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { controlMigrations } from "../../db/migrations/control.ts";
import { errorMessage } from "../../lib/errors.ts";
import {
  type ControlFinding,
  checkEncrypted,
  checkJobs,
  type OnFinding,
} from "./control-checks.ts";

export type ControlReport = {
  tables: number;
  rows: number;
  /** The first findings; `findingCount` counts all of them. */
  findings: readonly ControlFinding[];
  findingCount: number;
};

const maxFindings = 100;

/**
 * Checks pages, indexes, foreign keys, JSON, job states, and whether secrets can be decrypted.
 * Read-only; a server may be running. Damage is reported as a finding.
 */
export function checkControl(path: string, secretKey: Uint8Array | null): ControlReport {
  const findings: ControlFinding[] = [];
  let findingCount = 0;
  const onFinding: OnFinding = (kind, table, key, message) => {
    findingCount += 1;
    if (findings.length < maxFindings) findings.push({ kind, table, key, message });
  };
  const counts = { tables: 0, rows: 0 };
  const report = (): ControlReport => ({ ...counts, findings, findingCount });
  if (!existsSync(path)) {
    onFinding("file_missing", null, null, `${path} is missing`);
    return report();
  }
  const runCheck = (table: string | null, check: () => void): void => {
    try {
      check();
    } catch (error) {
      onFinding("file_damaged", table, null, `${table ?? path}: ${errorMessage(error)}`);
    }
  };
  runCheck(null, () => {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      database.exec("BEGIN");
      runCheck(null, () => checkPages(database, onFinding));
      const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
      if (version !== controlMigrations.length) {
        const message = `the schema version is ${version}, not ${controlMigrations.length}`;
        onFinding("schema_differs", null, null, message);
        return;
      }
      for (const table of listTables(database)) {
        counts.tables += 1;
        runCheck(table, () => {
          counts.rows += countRows(database, table);
        });
      }
      runCheck(null, () => checkReferences(database, onFinding));
      for (const [table, column] of jsonColumns) {
        runCheck(table, () => checkJson(database, table, column, onFinding));
      }
      runCheck("job", () => checkJobs(database, onFinding));
      runCheck(null, () => checkEncrypted(database, secretKey, runCheck, onFinding));
    } finally {
      database.close();
    }
  });
  return report();
}

const maxErrors = 20;

function checkPages(database: DatabaseSync, onFinding: OnFinding): void {
  for (const row of database.prepare(`PRAGMA integrity_check(${maxErrors})`).iterate()) {
    const message = String(row.integrity_check);
    if (message !== "ok") onFinding("file_damaged", null, null, message.replaceAll(/\s+/g, " "));
  }
}

const listTables = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));

const countRows = (database: DatabaseSync, table: string): number =>
  Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows);

function checkReferences(database: DatabaseSync, onFinding: OnFinding): void {
  for (const { table, parent } of database.prepare("PRAGMA foreign_key_check").iterate()) {
    const message = `a row of ${table} refers to a missing row of ${parent}`;
    onFinding("reference_broken", String(table), null, message);
  }
}

/** Excludes columns of jobs, which `checkJobs` reads. */
const jsonColumns = [
  ["webhook", "events"],
  ["webhook_delivery", "payload"],
  ["usage", "latencies"],
  ["api_key", "methods"],
  ["oauth_grant", "methods"],
  ["account", "earlier_key_times"],
  ["closed_identity", "made_times"],
  ["audit", "detail"],
  ["node", "capabilities"],
  ["attestation", "content"],
] as const;

function checkJson(
  database: DatabaseSync,
  table: string,
  column: string,
  onFinding: OnFinding,
): void {
  const rows = database
    .prepare(
      `SELECT count(*) AS rows FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column})`,
    )
    .get();
  const count = Number(rows?.rows);
  if (count === 0) return;
  onFinding(
    "row_unreadable",
    table,
    null,
    `${count} rows of ${table} have invalid JSON in ${column}`,
  );
}
