import { closeSync, cpSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { pageMap } from "../../../testkit/corruption/page-map.ts";
import { startServiceUnderTest } from "../../../testkit/service/service-under-test.ts";
import { checkControl } from "./check-control.ts";

const template = mkdtempSync(join(tmpdir(), "earshot-check-control-"));
const data = mkdtempSync(join(tmpdir(), "earshot-check-control-"));
const secretKey = new Uint8Array(32).fill(7);
const path = join(data, "control.db");

beforeAll(async () => {
  const service = await startServiceUnderTest({
    EARSHOT_SECRET_KEY: Buffer.from(secretKey).toString("base64"),
  });
  const key = await service.makeKey();
  for (const query of ["comet", "moon"]) {
    const { uuid } = (
      await service.submit(key, { type: "social", arguments: { type: "searchbyquery", query } })
    ).json();
    await service.result(key, uuid);
  }
  const url = "https://example.com/hook";
  await service.call(key, { method: "POST", url: "/v1/webhooks", payload: { url } });
  cpSync(service.dataDir, template, { recursive: true });
  await service.remove();
  // Tests damage the file, not the WAL.
  change(template, "PRAGMA wal_checkpoint(TRUNCATE)");
});
afterAll(() => {
  for (const folder of [template, data]) rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  cpSync(template, data, { recursive: true });
});

function change(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, "control.db"));
  database.exec(sql);
  database.close();
}

const check = (key: Uint8Array | null = secretKey) => checkControl(path, key);
const kinds = (key: Uint8Array | null = secretKey): string[] =>
  check(key).findings.map(({ kind }) => kind);

test("the check of an intact control store has no findings", () => {
  const report = check();
  expect(report.findings).toEqual([]);
  expect(report.tables).toBeGreaterThan(15);
  expect(report.rows).toBeGreaterThan(5);
});

test.for([
  ["an unknown state", "UPDATE job SET state = 'donf'", "job_inconsistent"],
  [
    "a finished job with a lease",
    "UPDATE job SET lease_token = 'x', lease_until_ms = 1",
    "job_inconsistent",
  ],
  ["a finished job without a finish time", "UPDATE job SET finished_ms = NULL", "job_inconsistent"],
  ["a request that is not JSON", "UPDATE job SET request = 'x'", "row_unreadable"],
  [
    "a result with unreadable positions",
    `UPDATE job SET result = '{"positions":[["x","z"]]}'`,
    "row_unreadable",
  ],
  [
    "a key without an account",
    "PRAGMA foreign_keys = OFF; DELETE FROM account",
    "reference_broken",
  ],
  ["events of a webhook that are not JSON", "UPDATE webhook SET events = '['", "row_unreadable"],
  ["a changed secret", "UPDATE webhook SET sealed_secret = zeroblob(60)", "secret_unreadable"],
  ["a different schema version", "PRAGMA user_version = 2", "schema_differs"],
] as const)("the check of the control store finds %s", ([, sql, kind]) => {
  change(data, sql);
  expect(kinds()).toContain(kind);
});

test("the check of the control store finds secrets encrypted with another key, and a missing key", () => {
  expect(kinds(new Uint8Array(32))).toEqual(["secret_unreadable"]);
  expect(kinds(null)).toEqual(["secret_unreadable"]);
});

test("the check of the control store finds a zeroed first page of any table", () => {
  const { pageBytes, tables } = pageMap(path);
  const undetected: string[] = [];
  for (const { table, pages } of tables) {
    const page = pages[0] ?? 0;
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, (page - 1) * pageBytes);
    closeSync(file);
    if (check().findingCount === 0) undetected.push(`${table}, page ${page}`);
    cpSync(template, data, { recursive: true });
  }
  expect(undetected).toEqual([]);
});

test("the check of the control store finds a truncated, empty or missing file", () => {
  truncateSync(path, 10_000);
  expect(kinds()).toContain("file_damaged");
  truncateSync(path, 0);
  expect(kinds()).toContain("schema_differs");
  rmSync(path);
  expect(kinds()).toEqual(["file_missing"]);
});
