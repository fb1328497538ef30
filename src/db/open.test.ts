import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStoreForReading, openStoreForWriting } from "./open.ts";

let parent: string;
let path: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "earshot-"));
  path = join(parent, "data", "test.db");
});

afterEach(() => rmSync(parent, { recursive: true }));

const firstMigration = "CREATE TABLE note(text TEXT)";
const secondMigration = "ALTER TABLE note ADD COLUMN place TEXT";

test("a database's folder and files are private to their owner", () => {
  const database = openStoreForWriting(path, [firstMigration]);
  database.run("INSERT INTO note VALUES('a')");
  const mode = (name: string) => statSync(name).mode & 0o777;
  expect(mode(join(parent, "data"))).toBe(0o700);
  expect([mode(path), mode(`${path}-wal`), mode(`${path}-shm`)]).toEqual([0o600, 0o600, 0o600]);
  database.close();
});

test("migrations run once, in order, and preserve the data", () => {
  const oldDatabase = openStoreForWriting(path, [firstMigration]);
  oldDatabase.run("INSERT INTO note VALUES('a')");
  oldDatabase.close();
  openStoreForWriting(path, [firstMigration, secondMigration]).close();
  const migratedDatabase = openStoreForWriting(path, [firstMigration, secondMigration]);
  expect(migratedDatabase.get("SELECT * FROM note")).toEqual({ text: "a", place: null });
  migratedDatabase.close();
});

test("a failed migration leaves nothing behind", () => {
  expect(() => openStoreForWriting(path, [`${firstMigration}; nonsense`])).toThrow(/syntax error/);
  const database = openStoreForWriting(path, [firstMigration]);
  expect(database.all("SELECT * FROM note")).toEqual([]);
  database.close();
});

test("a database with a newer schema is rejected for reading and writing", () => {
  openStoreForWriting(path, [firstMigration, secondMigration]).close();
  const refusal = expect.objectContaining({ code: "newer_schema" });
  expect(() => openStoreForWriting(path, [firstMigration])).toThrow(refusal);
  expect(() => openStoreForReading(path, [firstMigration])).toThrow(refusal);
  openStoreForWriting(path, [firstMigration, secondMigration]).close();
});
