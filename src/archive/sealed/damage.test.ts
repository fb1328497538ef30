import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeSealedTables } from "../../../testkit/archives/sealed-tables.ts";
import { countBetween } from "./chunk-set.ts";
import { isDamage, SealedDamageError } from "./damage.ts";
import { bytesPerBitmap, postsPerChunk, sealedMigrations } from "./format.ts";
import { openSealedIndex, type SealedIndex } from "./sealed-index.ts";
import type { SealedQuery } from "./sealed-query.ts";
import { createTermCache } from "./term-cache.ts";

const total = 9_000;

const database = new DatabaseSync(":memory:");
database.exec(sealedMigrations.join(""));
writeSealedTables(
  database,
  Array.from({ length: total }, (_, number) => getTokens(number)),
  Array.from({ length: total }, (_, number) => BigInt(total - number)),
  5,
);

function getTokens(number: number): string[] {
  const tokens = ["all", "all"];
  if (number % 2 === 0) tokens.push("half");
  if (number % 3 === 0) tokens.unshift("third");
  if (number % 100 === 0) tokens.push("some", ..."x".repeat(number % 300).split(""), "all", "some");
  if (number % 1_000 === 0) tokens.push("rare", "日本", "rare", "日語");
  if (number % 1_500 === 0) tokens.push("日話", "lang:en");
  return tokens;
}

const term = (text: string): SealedQuery => ({ kind: "term", term: text });
const queries: readonly SealedQuery[] = [
  { kind: "and", children: [], excluded: ["all", "half", "third", "some", "rare"].map(term) },
  { kind: "or", children: ["lang:en", "日話", "missing", "x", "half"].map(term) },
  { kind: "phrase", terms: ["all", "all", "half"] },
  { kind: "phrase", terms: ["third", "all"] },
  { kind: "phrase", terms: ["all", "some"] },
  { kind: "phrase", terms: ["x", "x", "all"] },
  { kind: "phrase", terms: ["rare", "日語"] },
  { kind: "prefix", terms: ["rare"], prefix: "日" },
  { kind: "prefix", terms: ["all"], prefix: "hal" },
  { kind: "prefix", terms: [], prefix: "日" },
  { kind: "prefix", terms: [], prefix: "" },
];

function answers(): (number | null)[] {
  const opened = orDamaged(() =>
    openSealedIndex(database, { name: "fuzzed", terms: createTermCache(1 << 22), ids: null }),
  );
  return queries.map((query) => opened && orDamaged(() => computeCount(opened, query)));
}

function orDamaged<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof SealedDamageError) return null;
    throw error;
  }
}

function computeCount(index: SealedIndex, query: SealedQuery): number {
  const range = { from: 0, to: total };
  let count = 0;
  for (const { set, from, to } of index.matches(query, range, () => null, { containers: 0 })) {
    count += countBetween(set, from, to);
  }
  return count;
}

const blobs = [
  ["sealed", "heads"],
  ["sealed_terms", "block"],
  ["sealed_docs", "docs"],
  ["sealed_positions", "positions"],
] as const;
type Blob = { table: string; column: string; key: string | number; bytes: Uint8Array };
const storedBlobs: readonly Blob[] = blobs.flatMap(([table, column]) => {
  const key = table === "sealed_terms" ? "first" : table === "sealed" ? "posts" : "row";
  return database
    .prepare(`SELECT '${key}' AS name, ${key} AS key, ${column} AS bytes FROM ${table}`)
    .all()
    .map((row) => ({
      table,
      column: String(row.name),
      key: row.key as string | number,
      bytes: row.bytes as Uint8Array,
    }));
});
const columnOf = new Map<string, string>(blobs);

function answersWith(blob: Blob, bytes: Uint8Array | string | null): (number | null)[] {
  database.exec("SAVEPOINT damage");
  try {
    if (bytes === null) {
      database.prepare(`DELETE FROM ${blob.table} WHERE ${blob.column} = ?`).run(blob.key);
    } else {
      database
        .prepare(
          `UPDATE ${blob.table} SET ${columnOf.get(blob.table)} = ? WHERE ${blob.column} = ?`,
        )
        .run(bytes, blob.key);
    }
    return answers();
  } finally {
    database.exec("ROLLBACK TO damage; RELEASE damage");
  }
}

const intactAnswers = answers();

function expectNoWrongAnswer(found: readonly (number | null)[]): void {
  expect(found.map((count, index) => count ?? intactAnswers[index])).toEqual(intactAnswers);
}

test("the intact tables give the expected answers", () => {
  expect(intactAnswers).not.toContain(null);
  expect(intactAnswers[2]).toBe(4_500);
  expect(storedBlobs.length).toBeGreaterThan(8);
});

describe("damaged rows", () => {
  const indexBlobs = storedBlobs.filter(({ table }) => table !== "sealed");

  test.each(indexBlobs.map((blob): [string, Blob] => [`${blob.table} ${blob.key}`, blob]))(
    "damage is reported if %s is too short, too long, or not a blob",
    (_name, blob) => {
      const cut = answersWith(blob, blob.bytes.slice(0, -1));
      const longer = answersWith(blob, Uint8Array.from([...blob.bytes, 0x80]));
      for (const found of [cut, longer, answersWith(blob, "text")]) {
        expectNoWrongAnswer(found);
        expect(found).toContain(null);
      }
      expect(answersWith(blob, new Uint8Array(0))).toContain(null);
    },
  );

  test.each(
    indexBlobs
      .filter(({ table }) => table !== "sealed_terms")
      .map((blob): [string, Blob] => [`${blob.table} ${blob.key}`, blob]),
  )("damage is reported if %s is missing", (_name, blob) => {
    const found = answersWith(blob, null);
    expectNoWrongAnswer(found);
    expect(found).toContain(null);
  });

  test("truncated rows never cause wrong results", () => {
    fc.assert(
      fc.property(fc.constantFrom(...indexBlobs), fc.nat(), (blob, length) => {
        if (blob.table === "sealed_terms") return;
        expectNoWrongAnswer(answersWith(blob, blob.bytes.slice(0, length % blob.bytes.length)));
      }),
      { numRuns: 15, examples: indexBlobs.slice(-4).map((blob): [Blob, number] => [blob, 0]) },
    );
  });

  test.each<[string, (bytes: Uint8Array) => unknown]>([
    ["lists a nonexistent post", (bytes) => bytes.fill(0xff, -2)],
    ["lists posts twice", (bytes) => bytes.copyWithin(2, 0, 2)],
    ["lists posts out of order", (bytes) => bytes.fill(0, -2)],
  ])("damage is reported if a row %s", (_name, damage) => {
    const rows = indexBlobs.filter(({ table, bytes }) => {
      return table === "sealed_docs" && bytes.length < bytesPerBitmap;
    });
    expect(rows).not.toEqual([]);
    for (const row of rows) {
      const bytes = row.bytes.slice();
      damage(bytes);
      expect(answersWith(row, bytes)).toContain(null);
    }
  });

  test.each([
    ["the number after the last post", total],
    ["the last number in the chunk", postsPerChunk - 1],
  ])("damage is reported if a bitmap has a nonexistent post: %s", (_name, number) => {
    const rows = indexBlobs.filter(({ table, bytes }) => {
      return table === "sealed_docs" && bytes.length === bytesPerBitmap;
    });
    expect(rows).not.toEqual([]);
    for (const row of rows) {
      const bytes = row.bytes.slice();
      bytes[number >>> 3] = 1 << (number & 7);
      expect(answersWith(row, bytes)).toContain(null);
      // Removing a post restores the expected count.
      bytes[0] = (bytes[0] ?? 0) & 0xfe;
      expect(answersWith(row, bytes)).toContain(null);
    }
  });

  test("a wrong number of posts never causes wrong results", () => {
    for (const posts of [0, 100, total - 1, total + 1, postsPerChunk + 1, 10 ** 12]) {
      database.exec(`SAVEPOINT damage; UPDATE sealed SET posts = ${posts}`);
      expectNoWrongAnswer(answers());
      database.exec("ROLLBACK TO damage; RELEASE damage");
    }
  });
});

test("flipped bits never cause wrong results", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...storedBlobs),
      fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 0x80, 0xff),
      (blob, offsets, bits) => {
        const bytes = blob.bytes.slice();
        for (const offset of offsets) {
          const index = offset % Math.min(bytes.length, 1 << (offset % 14));
          bytes[index] = (bytes[index] ?? 0) ^ bits;
        }
        expectNoWrongAnswer(answersWith(blob, bytes));
      },
    ),
    {
      numRuns: 60,
      examples: storedBlobs.slice(0, 4).flatMap((blob): [Blob, number[], number][] => [
        [blob, [0], 0x80],
        [blob, [1, 2, 3], 0xff],
      ]),
    },
  );
});

function expectNoWrongAnswerAfter(sql: string): void {
  database.exec(`SAVEPOINT damage; ${sql}`);
  try {
    expectNoWrongAnswer(answers());
  } finally {
    database.exec("ROLLBACK TO damage; RELEASE damage");
  }
}

test.each([
  [
    "every row of posts is a copy of the first one",
    "UPDATE sealed_docs SET (docs, sum) = (SELECT docs, sum FROM sealed_docs AS other ORDER BY other.row LIMIT 1)",
  ],
  [
    "rows of posts were renumbered",
    "UPDATE sealed_docs SET row = -1 - row; UPDATE sealed_docs SET row = (SELECT max(row) FROM sealed_docs) - (-1 - row) WHERE row < 0",
  ],
  [
    "a block is lost",
    "DELETE FROM sealed_terms WHERE first = (SELECT first FROM sealed_terms ORDER BY first LIMIT 1 OFFSET 1)",
  ],
  [
    "the first block is lost",
    "DELETE FROM sealed_terms WHERE first = (SELECT min(first) FROM sealed_terms)",
  ],
  [
    "the last block is lost",
    "DELETE FROM sealed_terms WHERE first = (SELECT max(first) FROM sealed_terms)",
  ],
  ["all blocks are lost", "DELETE FROM sealed_terms"],
  [
    "a block is stored under another term",
    "UPDATE sealed_terms SET first = first || 'a' WHERE first = (SELECT max(first) FROM sealed_terms)",
  ],
  ["the header row is lost", "DELETE FROM sealed"],
  [
    "the header row is that of an index without checksums",
    "UPDATE sealed SET format = 1, posts = posts - 1",
  ],
])("no result is wrong if %s", (_name, sql) => expectNoWrongAnswerAfter(sql));

test("a flipped bit in the format or number of posts never causes wrong results", () => {
  for (const column of ["format", "posts"]) {
    for (let bit = 0; bit < 48; bit++) {
      expectNoWrongAnswerAfter(
        `UPDATE sealed SET ${column} = (${column} | (1 << ${bit})) - (${column} & (1 << ${bit}))`,
      );
    }
  }
});

test("unreadable settings of FTS5 are reported as damage", () => {
  const database = new DatabaseSync(":memory:", { defensive: false });
  database.exec("CREATE VIRTUAL TABLE term USING fts5(terms)");
  database.exec("UPDATE term_config SET v = 20 WHERE k = 'version'");
  let error: unknown = null;
  try {
    // A schema change makes FTS5 read its settings again.
    database.exec("CREATE TABLE other(a); INSERT INTO term(term) VALUES('integrity-check')");
    database.prepare("SELECT rowid FROM term WHERE term MATCH 'a'").all();
  } catch (thrown) {
    error = thrown;
  }
  expect(isDamage(error)).toBe(true);
  database.close();
});

test("an integer beyond JavaScript's safe range is reported as damage", () => {
  const selectSum = database.prepare(`SELECT ${2n ** 60n} AS sum`);
  let thrown: unknown;
  try {
    selectSum.get();
  } catch (error) {
    thrown = error;
  }
  expect(isDamage(thrown)).toBe(true);
});
