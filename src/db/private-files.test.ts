import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makePrivate, makePrivateFolder } from "./connection.ts";

const folder = mkdtempSync(join(tmpdir(), "earshot-private-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readMode = (path: string): number => statSync(path).mode & 0o777;

test("a new database file is private to its owner", () => {
  const path = join(folder, "new.db");
  makePrivate(path);
  expect(readMode(path)).toBe(0o600);
});

test("other users lose their permissions on an existing database and its WAL and shared-memory files", () => {
  const path = join(folder, "old.db");
  for (const suffix of ["", "-wal", "-shm"]) {
    writeFileSync(path + suffix, suffix);
    chmodSync(path + suffix, 0o644);
  }
  makePrivate(path);
  for (const suffix of ["", "-wal", "-shm"]) expect(readMode(path + suffix)).toBe(0o600);
  expect(statSync(`${path}-wal`).size).toBe(4);
});

test("a new folder and an existing one become private to their owner", () => {
  const newFolder = join(folder, "a", "b");
  makePrivateFolder(newFolder);
  expect(readMode(newFolder)).toBe(0o700);
  const oldFolder = join(folder, "old");
  mkdirSync(oldFolder);
  chmodSync(oldFolder, 0o755);
  makePrivateFolder(oldFolder);
  expect(readMode(oldFolder)).toBe(0o700);
});
