import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChunkSet, readMembers } from "./chunk-set.ts";
import { SealedDamageError } from "./damage.ts";
import {
  countReplacedPosts,
  type DeletionBitmapWriter,
  deletionBitmapWriter,
  readDeletionBitmap,
  writeEmptyBitmap,
} from "./deletion-bitmap.ts";
import type { DocNumbers } from "./doc-numbers.ts";
import { formatWithoutChecksums, postsPerChunk, sealedFormat, sealedMigrations } from "./format.ts";

const posts = 3 * postsPerChunk + 10;

const numbers: DocNumbers = {
  posts,
  idAt: (number) => BigInt(posts - number),
  firstNumberBelow: (id) => Math.min(posts, Math.max(0, posts - Number(id) + 1)),
  findNumber: (id) => (id > 0n && id <= BigInt(posts) ? posts - Number(id) : null),
  close: () => undefined,
};

let database: DatabaseSync;

beforeEach(() => {
  database = new DatabaseSync(":memory:");
  database.exec(sealedMigrations.join(""));
  database.exec(
    `INSERT INTO sealed(format, posts, sealed_ms, heads) VALUES (${sealedFormat}, ${posts}, 0, x'')`,
  );
  writeEmptyBitmap(database, posts);
});

afterEach(() => database.close());

function getMembers(set: ChunkSet | null): number[] {
  const out = new Uint16Array(postsPerChunk);
  return set === null
    ? []
    : [...out.subarray(0, readMembers(set, 0, postsPerChunk, out, postsPerChunk))];
}

function reported(): { replaced: number[]; omitted: number[] } {
  const bitmap = readDeletionBitmap(database);
  const all = (setOf: (chunk: number) => ChunkSet | null) =>
    [0, 1, 2, 3].flatMap((chunk) =>
      getMembers(setOf(chunk)).map((member) => chunk * postsPerChunk + member),
    );
  return { replaced: all(bitmap.replacedSet), omitted: all(bitmap.omittedSet) };
}

const edges = [0, 31, 32, 65_535, 65_536, 131_071, 131_072, posts - 1];

test("the deletion bitmap of a newly sealed segment excludes no post", () => {
  const bitmap = readDeletionBitmap(database);
  expect([bitmap.omittedSet(0), bitmap.replacedSet(0), bitmap.omittedSet(99)]).toEqual([
    null,
    null,
    null,
  ]);
  expect(countReplacedPosts(database)).toBe(0);
});

test("the deletion bitmap excludes replaced and hidden posts, but not those shown again", () => {
  const writer = deletionBitmapWriter(database, numbers);
  for (const number of edges) writer.replace(numbers.idAt(number));
  for (const number of [1, 31, 65_537]) writer.hide(numbers.idAt(number));
  expect(reported()).toEqual({ replaced: [], omitted: [] });
  writer.flush();
  const omitted = [...edges, 1, 65_537].sort((a, b) => a - b);
  expect(reported()).toEqual({ replaced: edges, omitted });
  expect(countReplacedPosts(database)).toBe(edges.length);
  for (const number of [1, 31, 65_537, 0]) writer.show(numbers.idAt(number));
  writer.flush();
  expect(reported()).toEqual({ replaced: edges, omitted: edges });
});

test("the deletion bitmap has no set for a chunk without excluded posts, even if it had one before", () => {
  const writer = deletionBitmapWriter(database, numbers);
  writer.hide(numbers.idAt(7));
  writer.flush();
  expect(getMembers(readDeletionBitmap(database).omittedSet(0))).toEqual([7]);
  expect(readDeletionBitmap(database).replacedSet(0)).toBeNull();
  writer.show(numbers.idAt(7));
  writer.flush();
  expect(readDeletionBitmap(database).omittedSet(0)).toBeNull();
});

test("the deletion bitmap is not written if nothing changes", () => {
  const writer = deletionBitmapWriter(database, numbers);
  for (const number of [3, 31]) writer.replace(numbers.idAt(number));
  writer.hide(numbers.idAt(63));
  writer.flush();
  const countChanges = () => database.prepare("SELECT total_changes() AS rows").get()?.rows;
  const before = countChanges();
  for (const number of [3, 31]) writer.replace(numbers.idAt(number));
  writer.hide(numbers.idAt(63));
  writer.show(numbers.idAt(64));
  writer.show(numbers.idAt(postsPerChunk));
  writer.flush();
  expect(countChanges()).toBe(before);
  writer.show(numbers.idAt(63));
  writer.flush();
  expect(countChanges()).toBe(Number(before) + 1);
});

test("the deletion bitmap ignores posts without a doc number", () => {
  const writer = deletionBitmapWriter(database, numbers);
  for (const id of [0n, BigInt(posts) + 1n, 2n ** 63n - 1n]) {
    writer.replace(id);
    writer.hide(id);
    writer.show(id);
  }
  writer.flush();
  expect(reported()).toEqual({ replaced: [], omitted: [] });
});

test("changes to the deletion bitmap in a rolled-back transaction are discarded", () => {
  const writer = deletionBitmapWriter(database, numbers);
  writer.hide(numbers.idAt(5));
  writer.flush();
  database.exec("BEGIN");
  writer.replace(numbers.idAt(5));
  writer.show(numbers.idAt(5));
  writer.flush();
  writer.replace(numbers.idAt(6));
  database.exec("ROLLBACK");
  writer.discard();
  writer.flush();
  expect(reported()).toEqual({ replaced: [], omitted: [5] });
});

test("changes that another writer makes between two transactions remain in the deletion bitmap", () => {
  const [ours, theirs] = [
    deletionBitmapWriter(database, numbers),
    deletionBitmapWriter(database, numbers),
  ];
  ours.replace(numbers.idAt(1));
  ours.hide(numbers.idAt(7));
  ours.flush();
  theirs.show(numbers.idAt(7));
  theirs.replace(numbers.idAt(2));
  theirs.hide(numbers.idAt(3));
  theirs.flush();
  ours.replace(numbers.idAt(4));
  ours.flush();
  expect(reported()).toEqual({ replaced: [1, 2, 4], omitted: [1, 2, 3, 4] });
});

test.each([
  ["shorter", "UPDATE sealed_mask SET replaced = substr(replaced, 2) WHERE chunk = 0"],
  ["longer", "UPDATE sealed_mask SET hidden = CAST(hidden || x'00' AS BLOB)"],
  ["empty", "UPDATE sealed_mask SET hidden = x''"],
  ["text", "UPDATE sealed_mask SET replaced = 'a'"],
])(
  "a deletion bitmap that is %s is reported as damage to readers and writers, and not overwritten",
  (_, sql) => {
    const writer = deletionBitmapWriter(database, numbers);
    writer.replace(numbers.idAt(0));
    writer.flush();
    database.exec(sql);
    const before = database.prepare("SELECT * FROM sealed_mask").all();
    expect(() => readDeletionBitmap(database).omittedSet(0)).toThrow(SealedDamageError);
    expect(() => readDeletionBitmap(database).replacedSet(0)).toThrow(SealedDamageError);
    writer.replace(numbers.idAt(1));
    expect(() => writer.flush()).toThrow(SealedDamageError);
    expect(database.prepare("SELECT * FROM sealed_mask").all()).toEqual(before);
  },
);

test.each([
  ["a missing row", "DELETE FROM sealed_mask WHERE chunk = 1"],
  ["a row with a wrong chunk number", "UPDATE sealed_mask SET chunk = 77 WHERE chunk = 1"],
])("a deletion bitmap with %s is reported as damage", (_, sql) => {
  database.exec(sql);
  expect(() => readDeletionBitmap(database)).toThrow(SealedDamageError);
});

test("a deletion bitmap without checksums needs no rows for chunks without deletions", () => {
  database.exec(`DELETE FROM sealed_mask; UPDATE sealed SET format = ${formatWithoutChecksums}`);
  expect(reported()).toEqual({ replaced: [], omitted: [] });
  const writer = deletionBitmapWriter(database, numbers);
  writer.hide(numbers.idAt(postsPerChunk + 3));
  writer.flush();
  expect(reported()).toEqual({ replaced: [], omitted: [postsPerChunk + 3] });
});

test("the deletion bitmap is correct after any order of changes, flushes and rollbacks", () => {
  const number = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: 0, max: posts - 1 }));
  const change = fc.tuple(fc.constantFrom("replace", "hide", "show"), number);
  const transaction = fc.tuple(fc.array(change, { maxLength: 20 }), fc.boolean());
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 6 }), (transactions) => {
      database.exec("DELETE FROM sealed_mask");
      writeEmptyBitmap(database, posts);
      const writer: DeletionBitmapWriter = deletionBitmapWriter(database, numbers);
      let expected = { replaced: new Set<number>(), hidden: new Set<number>() };
      for (const [list, commits] of transactions) {
        const next = { replaced: new Set(expected.replaced), hidden: new Set(expected.hidden) };
        database.exec("BEGIN");
        for (const [kind, number] of list) {
          writer[kind as "replace" | "hide" | "show"](numbers.idAt(number));
          if (kind === "replace") next.replaced.add(number);
          if (kind === "hide") next.hidden.add(number);
          if (kind === "show") next.hidden.delete(number);
        }
        writer.flush();
        database.exec(commits ? "COMMIT" : "ROLLBACK");
        writer.discard();
        if (commits) expected = next;
      }
      const ascending = (set: Set<number>) => [...set].sort((a, b) => a - b);
      expect(reported()).toEqual({
        replaced: ascending(expected.replaced),
        omitted: ascending(new Set([...expected.replaced, ...expected.hidden])),
      });
      expect(countReplacedPosts(database)).toBe(expected.replaced.size);
    }),
    { numRuns: 60 },
  );
});

test.each(["-1", "4", "9000000000000000000"])(
  "a deletion bitmap for a nonexistent chunk, %s, is reported as damage",
  (chunk) => {
    database.exec(
      `INSERT INTO sealed_mask VALUES (${chunk}, zeroblob(8192), zeroblob(8192), NULL)`,
    );
    expect(() => readDeletionBitmap(database)).toThrow(SealedDamageError);
  },
);
