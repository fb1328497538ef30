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

const first = "CREATE TABLE note(text TEXT)";
const second = "ALTER TABLE note ADD COLUMN place TEXT";

test("a database's folder and files are private to their owner", () => {
  const database = openStoreForWriting(path, [first]);
  database.run("INSERT INTO note VALUES('a')");
  const mode = (name: string) => statSync(name).mode & 0o777;
  expect(mode(join(parent, "data"))).toBe(0o700);
  expect([mode(path), mode(`${path}-wal`), mode(`${path}-shm`)]).toEqual([0o600, 0o600, 0o600]);
  database.close();
});

test("migrations run once, in order, and preserve the data", () => {
  const before = openStoreForWriting(path, [first]);
  before.run("INSERT INTO note VALUES('a')");
  before.close();
  openStoreForWriting(path, [first, second]).close();
  const after = openStoreForWriting(path, [first, second]);
  expect(after.get("SELECT * FROM note")).toEqual({ text: "a", place: null });
  after.close();
});

test("a failed migration leaves nothing behind", () => {
  expect(() => openStoreForWriting(path, [`${first}; nonsense`])).toThrow(/syntax error/);
  const database = openStoreForWriting(path, [first]);
  expect(database.all("SELECT * FROM note")).toEqual([]);
  database.close();
});

test("a database with a newer schema is rejected for reading and writing", () => {
  openStoreForWriting(path, [first, second]).close();
  const refusal = expect.objectContaining({ code: "newer_schema" });
  expect(() => openStoreForWriting(path, [first])).toThrow(refusal);
  expect(() => openStoreForReading(path, [first])).toThrow(refusal);
  openStoreForWriting(path, [first, second]).close();
});
