import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalStore } from "./local-store.ts";
import { openStoreForReading, openStoreForWriting, type SqliteDatabase } from "./open.ts";
import { durable, read, relaxed, runBatch, runOn } from "./operations.ts";
import type { Steps } from "./statements.ts";

const schema = ["CREATE TABLE note(text TEXT PRIMARY KEY) STRICT"];

const operations = {
  add: durable((database, { text }: { text: string }) =>
    database.run("INSERT INTO note VALUES(:text)", { text }),
  ),
  addRelaxed: relaxed((database, { text }: { text: string }) =>
    database.run("INSERT INTO note VALUES(:text)", { text }),
  ),
  addThenFail: durable(function* (database, { text }: { text: string }): Steps<never> {
    yield* database.run("INSERT INTO note VALUES(:text)", { text });
    throw new Error("failed after writing");
  }),
  all: read(function* (database, _args: null): Steps<string[]> {
    const notes = yield* database.all<{ text: string }>("SELECT text FROM note ORDER BY text");
    return notes.map(({ text }) => text);
  }),
};

let folder: string;
let database: SqliteDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
  database = openStoreForWriting(join(folder, "test.db"), schema);
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function recordStatements(): { watched: SqliteDatabase; statements: string[] } {
  const statements: string[] = [];
  const watched: SqliteDatabase = {
    ...database,
    run: (sql, parameters) => {
      statements.push(sql);
      return database.run(sql, parameters);
    },
  };
  return { watched, statements };
}

const readNotes = () => runOn(operations.all, database, null);

const normal = 1;
const full = 2;

const readSynchronous = () =>
  database.get<{ synchronous: number }>("PRAGMA synchronous")?.synchronous;

test("all database writes made in one tick share a commit", async () => {
  const { watched, statements } = recordStatements();
  const store = createLocalStore(watched, operations);
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => store.write("add", { text: `note ${index}` })),
  );
  expect(statements.filter((sql) => sql === "COMMIT")).toHaveLength(1);
  expect(await store.read("all", null)).toHaveLength(50);
});

test("a failed write in a batch has no effect, and the others succeed", async () => {
  const store = createLocalStore(database, operations);
  const outcomes = await Promise.allSettled([
    store.write("add", { text: "a" }),
    store.write("addThenFail", { text: "b" }),
    store.write("add", { text: "a" }),
    store.write("add", { text: "c" }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  expect(readNotes()).toEqual(["a", "c"]);
});

test("all calls in a batch fail if the commit fails", () => {
  const failingDatabase: SqliteDatabase = {
    ...database,
    run: (sql, parameters) => {
      if (sql === "COMMIT") throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
      return database.run(sql, parameters);
    },
  };
  const outcomes = runBatch(failingDatabase, operations, [
    { method: "add", args: { text: "a" } },
    { method: "add", args: { text: "b" } },
  ]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: "store_unavailable", status: 503, retryable: true },
    });
  }
  expect(readNotes()).toEqual([]);
  expect(database.inTransaction()).toBe(false);
});

test("on a full disk, only writes reported as successful are stored", () => {
  database.get("PRAGMA max_page_count = 8");
  const calls = ["a", "b".repeat(60_000), "c"].map((text) => ({ method: "add", args: { text } }));
  const outcomes = runBatch(database, operations, calls);
  expect(outcomes[1]).toMatchObject({ ok: false, error: { code: "storage_full" } });
  const stored = ["a", "c"].filter((_, index) => outcomes[index * 2]?.ok);
  expect(readNotes()).toEqual(stored);
  expect(runBatch(database, operations, [{ method: "add", args: { text: "d" } }])).toEqual([
    { ok: true, value: 1 },
  ]);
});

test("a commit is synced if any of its writes is durable", () => {
  runBatch(database, operations, [{ method: "addRelaxed", args: { text: "a" } }]);
  expect(readSynchronous()).toBe(normal);
  runBatch(database, operations, [
    { method: "addRelaxed", args: { text: "b" } },
    { method: "add", args: { text: "c" } },
  ]);
  expect(readSynchronous()).toBe(full);
});

test("an unknown operation fails without affecting the others in its batch", () => {
  const outcomes = runBatch(database, operations, [
    { method: "drop", args: null },
    { method: "add", args: { text: "a" } },
  ]);
  expect(outcomes.map(({ ok }) => ok)).toEqual([false, true]);
});

test("a read-only connection reads the latest commit and cannot write", () => {
  const reader = openStoreForReading(join(folder, "test.db"), schema);
  runBatch(database, operations, [{ method: "add", args: { text: "a" } }]);
  expect(runOn(operations.all, reader, null)).toEqual(["a"]);
  expect(() => runOn(operations.add, reader, { text: "b" })).toThrow(/readonly/);
  reader.close();
});

test("the write-ahead log is emptied after the first commit that no reader blocks", () => {
  const add = (text: string) => runBatch(database, operations, [{ method: "add", args: { text } }]);
  const logBytes = () => statSync(join(folder, "test.db-wal")).size;
  const reader = openStoreForReading(join(folder, "test.db"), schema);
  try {
    add("a");
    reader.run("BEGIN");
    reader.all("SELECT text FROM note");
    database.emptyLogSoon();
    add("b");
    expect(logBytes()).toBeGreaterThan(0);
    reader.run("COMMIT");
    add("c");
    expect([logBytes(), readNotes()]).toEqual([0, ["a", "b", "c"]]);
    add("d");
    expect(logBytes()).toBeGreaterThan(0);
  } finally {
    reader.close();
  }
});
