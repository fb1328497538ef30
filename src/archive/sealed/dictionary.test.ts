import { Buffer } from "node:buffer";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeSealedTables } from "../../../testkit/archives/sealed-tables.ts";
import { SealedDamageError } from "./damage.ts";
import { openDictionary } from "./dictionary.ts";
import { sealedMigrations } from "./format.ts";
import { isPositionalTerm } from "./sealed-query.ts";
import { readSealedHeader } from "./sealed-state.ts";

const term = fc
  .oneof(
    fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 }),
    fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .map((text) => text.toWellFormed().replaceAll("\0", "")),
    fc.constantFrom(
      "x".repeat(300),
      `${"x".repeat(299)}y`,
      `${"x".repeat(300)}y`,
      "日本",
      "日",
      "￿",
      "𝒳",
    ),
    fc.tuple(fc.constantFrom("url", "lang", "is", "-"), fc.nat(999)).map(([a, n]) => `${a}:${n}`),
  )
  .filter((text) => text !== "");

function getDictionary(terms: readonly string[]) {
  const database = new DatabaseSync(":memory:");
  database.exec(sealedMigrations.join(""));
  const posts = [0, 1, 2, 3, 4].map((post) => terms.filter((_, index) => index % 5 >= post));
  writeSealedTables(database, posts, [5n, 4n, 3n, 2n, 1n], 0);
  return openDictionary(database, readSealedHeader(database));
}

const compareBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

test("the dictionary finds each of its terms and no others", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(term, { minLength: 1, maxLength: 200 }),
      fc.array(term),
      (terms, requested) => {
        const dictionary = getDictionary(terms);
        for (const [offset, each] of terms.entries()) {
          expect(dictionary.find(each)).toMatchObject({
            posts: (offset % 5) + 1,
            isPositional: isPositionalTerm(each),
          });
        }
        const missingTerms = requested.filter((text) => !terms.includes(text));
        expect(missingTerms.filter((text) => dictionary.find(text) !== null)).toEqual([]);
      },
    ),
    {
      numRuns: 40,
      examples: [
        [
          ["b", "ba", "bab"],
          ["a", "bb", "baba", "c"],
        ],
        [
          ["aa", "bb", "bc"],
          ["ab", "ac", "bbb"],
        ],
      ],
    },
  );
});

test("the dictionary visits terms with a common prefix in byte order", () => {
  fc.assert(
    fc.property(fc.uniqueArray(term, { minLength: 1, maxLength: 200 }), term, (terms, start) => {
      const dictionary = getDictionary(terms);
      const prefix = [...start].slice(0, 2).join("");
      const found: number[] = [];
      Array.from(dictionary.visitPrefix(prefix, (entry) => found.push(entry.posts)));
      const expected = terms.filter((other) => other.startsWith(prefix)).sort(compareBytes);
      expect(found).toEqual(expected.map((text) => (terms.indexOf(text) % 5) + 1));
    }),
    {
      numRuns: 40,
      examples: [
        [["￿", "𝒳", "日"], "￿"],
        [["a", "ab", "b"], "a"],
        [["a", "ab", "abc", "b"], "ab"],
      ],
    },
  );
});

test("the dictionary visits a prefix that spans many blocks", () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `k${index}`);
  let count = 0;
  const dictionary = getDictionary(["a", ...many, "z"]);
  const entriesRead = [...dictionary.visitPrefix("k1", () => (count += 1))];
  expect(count).toBe(many.filter((text) => text.startsWith("k1")).length);
  expect(entriesRead.length).toBeGreaterThan(5);
  expect(Math.max(...entriesRead)).toBeLessThan(1_000);
});

describe("dictionary blocks", () => {
  const getBlock = (...entries: [number, string][]): Uint8Array =>
    Uint8Array.from(
      entries.flatMap(([shared, text]) => [
        shared,
        text.length * 2 + 1,
        ...Buffer.from(text),
        0,
        0,
      ]),
    );

  function find(block: Uint8Array, searched: string, first = "ab"): unknown {
    const database = new DatabaseSync(":memory:");
    database.exec(sealedMigrations.join(""));
    database.prepare("INSERT INTO sealed_terms(first, block) VALUES (?, ?)").run(first, block);
    return openDictionary(database, { posts: 1, first: null, hasChecksums: false }).find(searched);
  }

  test("an intact dictionary block is accepted", () => {
    expect(find(getBlock([0, "ab"], [1, "c"], [0, "b"]), "ac")).toMatchObject({ posts: 1 });
    expect(find(getBlock([0, "ab"], [1, "c"], [0, "b"]), "ad")).toBeNull();
  });

  test.each<[string, Uint8Array]>([
    ["whose terms are not in order", getBlock([0, "ab"], [1, "a"], [0, "b"])],
    ["that repeats a term", getBlock([0, "ab"], [0, "ab"], [0, "b"])],
    [
      "in which a term does not share the whole common prefix",
      getBlock([0, "ab"], [0, "ac"], [0, "b"]),
    ],
    [
      "in which a term shares more bytes than the previous term has",
      getBlock([0, "ab"], [3, "c"], [0, "b"]),
    ],
    ["in which a term adds nothing to the previous one", getBlock([0, "ab"], [1, ""], [0, "b"])],
    ["whose first term shares a prefix", getBlock([1, "b"], [0, "b"])],
    ["without entries", new Uint8Array(0)],
    ["with a term that has no posts", Uint8Array.of(0, 4, 0x61, 0x62, 0)],
    [
      "with a term that has more posts than the segment",
      Uint8Array.of(0, 4, 0x61, 0x62, 2, 0, 1, 0, 0),
    ],
  ])("a dictionary block %s is rejected", (_name, block) => {
    expect(() => find(block, "az")).toThrow(SealedDamageError);
  });

  test("a dictionary block that is stored under an earlier term than its first one is rejected", () => {
    const block = getBlock([0, "ab"], [0, "b"]);
    expect(() => find(block, "aab", "aa")).toThrow(SealedDamageError);
  });
});
