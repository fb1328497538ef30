import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lastId } from "../../posts/ids.ts";
import { SealedDamageError } from "./damage.ts";
import { docNumberRange, openDocNumbers } from "./doc-numbers.ts";
import { idsPerPage, sealedMigrations } from "./format.ts";
import { createIdCache, useIdCache } from "./id-cache.ts";

let database: DatabaseSync;

beforeEach(() => {
  database = new DatabaseSync(":memory:");
  database.exec(sealedMigrations.join(""));
});

afterEach(() => database.close());

const makeBytes = (ids: BigInt64Array) =>
  new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);

function seal(ids: BigInt64Array): void {
  database.exec("DELETE FROM sealed; DELETE FROM sealed_ids");
  const firstIds = ids.filter((_, number) => number % idsPerPage === 0);
  database
    .prepare("INSERT INTO sealed(format, posts, sealed_ms, heads) VALUES(1, ?, 0, ?)")
    .run(ids.length, makeBytes(firstIds));
  const insert = database.prepare("INSERT INTO sealed_ids VALUES(?, ?)");
  for (let page = 0; page < firstIds.length; page++) {
    insert.run(page, makeBytes(ids.subarray(page * idsPerPage, (page + 1) * idsPerPage)));
  }
}

const evenIds = (posts: number) =>
  BigInt64Array.from({ length: posts }, (_, number) => BigInt(8 + 2 * (posts - number)));

const caches = (): [string, Parameters<typeof openDocNumbers>[2]][] => [
  ["no cache", null],
  ["a cache for all pages", useIdCache(createIdCache(2_000_000))],
  ["a cache for one page", useIdCache(createIdCache(5_000), 1)],
  ["a cache without slots", useIdCache(createIdCache(0), 1)],
];

test.each([0, 1, 2, 509, 510, 511, 512, 513, 1_020, 65_535, 65_536, 65_537])(
  "with %i posts, doc numbers map to their IDs and back",
  (posts) => {
    const ids = evenIds(posts);
    seal(ids);
    for (const [label, cache] of caches()) {
      const numbers = openDocNumbers(database, "a", cache);
      expect(numbers.posts).toBe(posts);
      const step = posts > 2_000 ? 127 : 1;
      for (let number = 0; number < posts; number += number < posts - 1_000 ? step : 1) {
        const id = ids[number] as bigint;
        const actual = [
          numbers.idAt(number),
          numbers.findNumber(id),
          numbers.firstNumberBelow(id + 1n),
          numbers.firstNumberBelow(id),
          numbers.findNumber(id + 1n),
        ];
        const expected = [id, number, number, number + 1, null];
        if (actual.some((value, index) => value !== expected[index]))
          expect(actual, label).toEqual(expected);
      }
      for (const [id, number] of [
        [-(2n ** 63n), posts],
        [0n, posts],
        [10n, posts],
        [ids[0] ?? 0n, Math.min(1, posts)],
        [(ids[0] ?? 0n) + 1n, 0],
        [lastId, 0],
        [lastId + 1n, 0],
        [2n ** 70n, 0],
      ] as const) {
        expect(numbers.firstNumberBelow(id), `${label} ${id}`).toBe(number);
      }
      expect([0n, 9n, (ids[0] ?? 0n) + 1n, lastId].map(numbers.findNumber)).toEqual([
        null,
        null,
        null,
        null,
      ]);
      expect(() => numbers.idAt(posts)).toThrow(RangeError);
      expect(() => numbers.idAt(-1)).toThrow(RangeError);
      numbers.close();
    }
  },
);

test("doc numbers are found for the largest and smallest IDs", () => {
  seal(BigInt64Array.of(lastId, lastId - 1n, 2n ** 53n + 1n, 2n ** 53n, 2n ** 32n, 20n, 0n));
  const numbers = openDocNumbers(database, "a", null);
  expect(numbers.idAt(0)).toBe(lastId);
  expect(numbers.idAt(6)).toBe(0n);
  expect(
    [lastId, 2n ** 53n + 1n, 2n ** 53n, 2n ** 32n - 1n, 0n, -1n].map(numbers.findNumber),
  ).toEqual([0, 2, 3, null, 6, null]);
  expect(docNumberRange(numbers, { low: 0n, high: lastId })).toEqual({ from: 0, to: 7 });
  expect(docNumberRange(numbers, { low: 20n, high: 2n ** 53n })).toEqual({ from: 3, to: 6 });
  expect(docNumberRange(numbers, { low: 21n, high: 22n })).toEqual({ from: 5, to: 5 });
});

test("docNumberRange() finds the same posts as a scan", () => {
  const id = fc.bigInt({ min: 0n, max: lastId });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.oneof(id, fc.bigInt({ min: 0n, max: 3_000n })), { maxLength: 1_500 }),
      fc.array(fc.tuple(id, fc.bigInt({ min: 0n, max: 3_000n })), { maxLength: 10 }),
      (some, ranges) => {
        const ids = BigInt64Array.from(some).sort().reverse();
        seal(ids);
        const ownIds = [...ids.slice(0, 5), ...ids.slice(-5)];
        for (const [, cache] of caches()) {
          const numbers = openDocNumbers(database, "a", cache);
          for (const [high, low] of [...ranges, ...ownIds.map((id) => [id, id] as const)]) {
            const numbersInRange = Array.from(ids.keys()).filter(
              (number) => (ids[number] as bigint) >= low && (ids[number] as bigint) <= high,
            );
            const { from, to } = docNumberRange(numbers, { low, high });
            expect(to - from).toBe(low > high ? Math.min(0, to - from) : numbersInRange.length);
            if (numbersInRange.length > 0) expect(from).toBe(numbersInRange[0]);
          }
        }
      },
    ),
    { numRuns: 30, examples: [[[], [[5n, 1n]]]] },
  );
});

test.each([
  ["no header row", "DELETE FROM sealed"],
  ["too few first IDs", "UPDATE sealed SET heads = substr(heads, 1, 8)"],
  ["too many first IDs", "UPDATE sealed SET heads = CAST(heads || heads AS BLOB)"],
  ["half a first ID", "UPDATE sealed SET heads = substr(heads, 1, 12)"],
  ["first IDs that are text", "UPDATE sealed SET heads = 'abcdefghabcdefgh'"],
  [
    "first IDs that do not descend",
    "UPDATE sealed SET heads = CAST(substr(heads, 1, 8) || substr(heads, 1, 8) AS BLOB)",
  ],
  [
    "a negative ID",
    "UPDATE sealed SET heads = CAST(substr(heads, 1, 8) || x'ffffffffffffffff' AS BLOB)",
  ],
  ["a negative number of posts", "UPDATE sealed SET posts = -1"],
  ["an impossible number of posts", "UPDATE sealed SET posts = 9223372036854775807"],
])("damage is reported when the doc numbers of a segment with %s are opened", (_, sql) => {
  seal(evenIds(600));
  database.exec(sql);
  expect(() => openDocNumbers(database, "a", null)).toThrow(SealedDamageError);
});

test.each([
  ["a missing page", "DELETE FROM sealed_ids WHERE page = 1"],
  ["a page that is too short", "UPDATE sealed_ids SET ids = substr(ids, 1, 8) WHERE page = 1"],
  ["a page that is text", "UPDATE sealed_ids SET ids = 'abcdefgh' WHERE page = 1"],
  [
    "a page with another page's IDs",
    "UPDATE sealed_ids SET ids = (SELECT substr(ids, 1, 720) FROM sealed_ids WHERE page = 0) WHERE page = 1",
  ],
  [
    "a page that repeats an ID",
    "UPDATE sealed_ids SET ids = CAST(substr(ids, 1, 8) || substr(ids, 1, 712) AS BLOB) WHERE page = 1",
  ],
])("damage is reported when the IDs of a segment with %s are read, with any cache", (_, sql) => {
  seal(evenIds(600));
  database.exec(sql);
  for (const [, cache] of caches()) {
    const numbers = openDocNumbers(database, "a", cache);
    expect(numbers.idAt(idsPerPage - 1)).toBe(190n);
    expect(() => numbers.idAt(idsPerPage)).toThrow(SealedDamageError);
    expect(() => numbers.firstNumberBelow(100n)).toThrow(SealedDamageError);
  }
});

test("a page of IDs that overlaps the next one is reported as damage", () => {
  seal(evenIds(2 * idsPerPage));
  const ids = evenIds(2 * idsPerPage).slice(0, idsPerPage);
  ids[idsPerPage - 1] = 1_000n;
  database.prepare("UPDATE sealed_ids SET ids = ? WHERE page = 0").run(makeBytes(ids));
  const numbers = openDocNumbers(database, "a", null);
  expect(() => numbers.idAt(0)).toThrow(SealedDamageError);
});
