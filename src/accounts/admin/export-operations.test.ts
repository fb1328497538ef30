import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { controlMigrations } from "../../db/migrations/control.ts";
import { openStoreForWriting, type SqliteDatabase } from "../../db/open.ts";
import { runOn } from "../../db/operations.ts";
import { type ExportPart, exportOperations } from "./export-operations.ts";
import type { ExportedKind } from "./export-rows.ts";

let folder: string;
let database: SqliteDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openStoreForWriting(join(folder, "control.db"), controlMigrations);
  database.run("INSERT INTO account(id, audit_id, created_ms) VALUES('ann', 'audit-of-ann', 1)");
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type Row = Readonly<Record<string, unknown>>;

function getParts(kind: ExportedKind): ExportPart[] {
  const parts: ExportPart[] = [];
  let after: ExportPart["next"] = null;
  do {
    const part: ExportPart = runOn(exportOperations.exportAccount, database, {
      accountId: "ann",
      kind,
      after,
    });
    parts.push(part);
    after = part.next;
  } while (after !== null);
  return parts;
}

const listLines = (kind: ExportedKind): Row[] =>
  getParts(kind)
    .flatMap(({ text }) => text.split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

function fill(table: string, values: Readonly<Record<string, string | number>> = {}): void {
  const columns = database.all<{ name: string; type: string; must: number; value: string | null }>(
    `SELECT name, type, "notnull" OR pk AS must, dflt_value AS value FROM pragma_table_info('${table}')`,
  );
  const filled = columns
    .filter(({ name, must, value }) => name in values || (must === 1 && value === null))
    .map(({ name, type }): [string, string | number | Uint8Array] => [
      name,
      values[name] ?? owners[name] ?? getDefault(type),
    ]);
  const names = filled.map(([name]) => name);
  database.run(
    `INSERT INTO ${table}(${names.join(", ")}) VALUES(${names.map((name) => `:${name}`).join(", ")})`,
    Object.fromEntries(filled),
  );
}

const owners: Readonly<Record<string, string>> = { account_id: "ann", detail: "{}" };

function getDefault(type: string): string | number | Uint8Array {
  if (type === "BLOB") return new Uint8Array([1]);
  return type === "INTEGER" ? 1 : "[]";
}

/** Not exported: secrets, hashes and internal state. */
const notExported: Readonly<Record<string, readonly string[]>> = {
  account: ["audit_id", "ending", "is_links_account", "last_change"],
  identity: ["account_id"],
  api_key: ["account_id", "audit_id", "secret_hash"],
  oauth_grant: [
    "access_expires_ms",
    "access_hash",
    "account_id",
    "audit_id",
    "code_challenge",
    "code_hash",
    "family_hash",
    "refresh_hash",
  ],
  session: ["account_id", "asker", "former_until_ms", "generation", "rotated_ms"],
  webhook: [
    "account_id",
    "due_ms",
    "former_sealed_secret",
    "former_until_ms",
    "last_number",
    "sealed_secret",
  ],
  webhook_delivery: ["failures"],
  credential: ["account_id", "kind", "renewing_until_ms", "revision", "sealed_secret"],
  upstream_account_use: ["account_id"],
  usage: ["account_id"],
  key_request: ["account_id", "sequence"],
  audit: [],
  job: [
    "account_id",
    "change",
    "changed_ms",
    "gateway",
    "lease_token",
    "lease_until_ms",
    "node",
    "not_before_ms",
    "reader_deaths",
    "sequence",
  ],
};

const tables = {
  account: "account",
  identity: "identity",
  key: "api_key",
  app: "oauth_grant",
  session: "session",
  webhook: "webhook",
  delivery: "webhook_delivery",
  credential: "credential",
  spending: "upstream_account_use",
  usage: "usage",
  request: "key_request",
  audit: "audit",
  job: "job",
} as const satisfies Record<ExportedKind, string>;

describe("an export", () => {
  test("an export is read in bounded parts, which contain each row once and in order", () => {
    for (let index = 0; index < 450; index += 1) {
      fill("usage", { bucket_ms: index, latencies: "x".repeat(100) });
    }
    const parts = getParts("usage");
    expect(parts.map(({ lines }) => lines)).toEqual([200, 200, 50]);
    const times = listLines("usage").map(({ bucket_at: bucketAt }) => Date.parse(String(bucketAt)));
    expect(times).toEqual(Array.from({ length: 450 }, (_, index) => index));
  });

  test("a part of an export ends at the size limit, even after few rows", () => {
    for (let index = 0; index < 5; index += 1) {
      const result = JSON.stringify("x".repeat(200_000));
      fill("job", { sequence: index, uuid: `uuid-${index}`, submitted_ms: 5 - index, result });
    }
    expect(getParts("job").map(({ lines }) => lines)).toEqual([2, 2, 1]);
    const uuids = listLines("job").map(({ uuid }) => uuid);
    expect(uuids).toEqual(["uuid-4", "uuid-3", "uuid-2", "uuid-1", "uuid-0"]);
  });

  test("an export contains the deliveries of all webhooks, even if some webhooks have none", () => {
    for (const id of ["one", "three", "two"]) fill("webhook", { id });
    for (const [webhook, number] of [
      ["one", 1],
      ["one", 2],
      ["two", 1],
    ] as const) {
      fill("webhook_delivery", { id: `${webhook}-${number}`, webhook_id: webhook, number });
    }
    expect(listLines("delivery").map(({ id }) => id)).toEqual(["one-1", "one-2", "two-1"]);
  });

  test("the export of a deleted account is empty", () => {
    database.run("DELETE FROM account");
    expect(getParts("account")).toEqual([{ text: "", lines: 0, next: null }]);
  });
});

describe("a line of an export", () => {
  test.each(Object.entries(tables))(
    "a line of kind %s in an export contains each column of table %s that is not excluded",
    (kind, table) => {
      if (table === "webhook_delivery") fill("webhook");
      if (table !== "account") fill(table, { account_id: "ann", subject: "audit-of-ann" });
      const [line = {}] = listLines(kind as ExportedKind);
      const columns = database
        .all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
        .map(({ name }) => name);
      const exported = columns.filter(
        (name) => columnName(name) in line && !(notExported[table] ?? []).includes(name),
      );
      expect([...exported, ...(notExported[table] ?? [])].toSorted()).toEqual(columns.toSorted());
    },
  );
});

const columnName = (column: string): string =>
  column.replace(/(?<=^|_)at_ms$|(?<!duration_)ms$/, "at");
