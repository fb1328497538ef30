import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acquireLock } from "../../db/folder-lock.ts";
import { lockCompaction } from "./lock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const formerPath = (): string => join(folder, "upkeep.db");

test("a second compaction lock is refused until the first is released", () => {
  const lock = lockCompaction(folder);
  expect(lockCompaction(folder)).toBeNull();
  lock?.release();
  const next = lockCompaction(folder);
  expect(next).not.toBeNull();
  next?.release();
});

describe("the lock file of an earlier version", () => {
  test("no lock is acquired while a process of an earlier version has its lock", () => {
    const formerLock = acquireLock(formerPath());
    expect(lockCompaction(folder)).toBeNull();
    formerLock?.release();
    const lock = lockCompaction(folder);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  test("the lock file of an earlier version is also locked, and is removed on release", () => {
    acquireLock(formerPath())?.release();
    const lock = lockCompaction(folder);
    expect(acquireLock(formerPath())).toBeNull();
    lock?.release();
    expect(readdirSync(folder)).toEqual(["compaction-lock.db"]);
  });

  test("the lock file of an earlier version is removed if a crash left it", () => {
    lockCompaction(folder)?.release();
    acquireLock(formerPath())?.release();
    lockCompaction(folder)?.release();
    expect(existsSync(formerPath())).toBe(false);
  });
});
