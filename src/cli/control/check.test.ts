import { appendFileSync, mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../../../testkit/service/run-command.ts";

let folder = "";
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "earshot-check-control-"));
  await command("keys", "create", "--name", "laptop");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const command = (...args: string[]) => runCommand(args, { EARSHOT_DATA_DIR: join(folder, "data") });

test("control check reports an intact store with its size and exits with 0", async () => {
  const { code, out } = await command("control", "check");
  expect(code).toBe(0);
  expect(out).toMatch(/control\.db: \d+ tables, [\d,]+ rows: no damage found\n$/);
});

test("control check reports a damaged store with its finding and exits with 1", async () => {
  truncateSync(join(folder, "data", "control.db"), 0);
  const { code, out, notes } = await command("control", "check", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ sound: false, findings: [{ kind: "schema_differs" }] });
  expect(notes).toMatch(/control_unsound|is damaged/);
});

test("control check compares a backup with its checksum", async () => {
  const file = join(folder, "copy.db");
  await command("control", "backup", file);
  expect((await command("control", "check", file)).code).toBe(0);
  appendFileSync(file, "x");
  const { code, out } = await command("control", "check", file);
  expect(code).toBe(1);
  expect(out).toMatch(/does not match the SHA-256/);
});

test("control check and backup refuse a store that is in PostgreSQL", async () => {
  for (const args of [["check"], ["backup", join(folder, "copy.db")]]) {
    const { code, notes } = await runCommand(["control", ...args], {
      EARSHOT_DATA_DIR: join(folder, "data"),
      EARSHOT_DATABASE_URL: "postgres://localhost/earshot",
    });
    expect(code).toBe(1);
    expect(notes).toMatch(/are in PostgreSQL, not in control\.db.*pg_dump/s);
  }
});
