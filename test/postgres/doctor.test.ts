import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import { runCommand } from "../../testkit/service/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-doctor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function findings(settings: Record<string, string>, ...options: string[]) {
  const { code, out } = await runCommand(["doctor", "--json", ...options], {
    EARSHOT_DATA_DIR: folder,
    EARSHOT_INGEST: "off",
    ...settings,
  });
  const lines = out.trim().split("\n");
  return { code, found: lines.map((line) => JSON.parse(line) as Record<string, string>) };
}

test("the doctor reports the PostgreSQL server and its connections", async () => {
  const { code, found } = await findings(await databaseSettings(), "--offline");
  expect(code).toBe(0);
  const database = found.find(({ subject }) => subject === "database");
  expect(database?.message).toMatch(/^PostgreSQL 1\d.*, \d+ of 400 connections in use$/);
});

test("the doctor checks the credentials in PostgreSQL", async () => {
  const settings = { ...(await databaseSettings()), EARSHOT_BLUESKY_PUBLIC: "off" };
  const { found } = await findings(settings);
  expect(found).toContainEqual({ level: "ok", subject: "credentials", message: "none stored" });
});

test("the doctor reports an unreachable PostgreSQL server, too few connections and a missing secret key", async () => {
  const settings = await databaseSettings();
  const unreachable = { EARSHOT_DATABASE_URL: "postgres://earshot@127.0.0.1:1/earshot" };
  const { code, found } = await findings(unreachable, "--offline");
  expect(code).toBe(1);
  expect(found).toContainEqual(expect.objectContaining({ subject: "secret key", level: "error" }));
  expect(found).toContainEqual(expect.objectContaining({ subject: "database", level: "error" }));
  const many = await findings({ ...settings, EARSHOT_DATABASE_CONNECTIONS: "900" }, "--offline");
  expect(many.code).toBe(0);
  expect(many.found).toContainEqual(
    expect.objectContaining({
      level: "warning",
      message: expect.stringMatching(
        /^only \d+ connections are available, and each gateway uses up to 902$/,
      ),
    }),
  );
});
