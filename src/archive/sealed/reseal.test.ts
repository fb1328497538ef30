import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import {
  addToFts,
  emptySegment,
  expectedContents,
  sealedContents,
  sealedFrom,
} from "../../../testkit/archives/segment-contents.ts";
import { SealedDamageError } from "./damage.ts";
import { deletionBitmapWriter } from "./deletion-bitmap.ts";
import { openDocNumbers } from "./doc-numbers.ts";

const opened: DatabaseSync[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

function resealableSegment() {
  const posts = new Map<bigint, readonly string[]>();
  let database = emptySegment();
  opened.push(database);
  let isSealed = false;

  function change(id: bigint, tokens: readonly string[] | null): void {
    if (isSealed) {
      const writer = deletionBitmapWriter(database, openDocNumbers(database, "again", null));
      writer.replace(id);
      writer.flush();
    }
    database.prepare("DELETE FROM term WHERE rowid = ?").run(id);
    posts.delete(id);
    if (tokens === null) return;
    posts.set(id, tokens);
    addToFts(database, new Map([[id, tokens]]));
  }

  function hide(id: bigint): void {
    const writer = deletionBitmapWriter(database, openDocNumbers(database, "again", null));
    writer.hide(id);
    writer.flush();
  }

  function seal(ids: Iterable<bigint> = posts.keys()): void {
    database = sealedFrom(database, ids).sealed;
    opened.push(database);
    isSealed = true;
  }

  return { posts, change, hide, seal, database: () => database };
}

// U+E000 and U+FFFD sort after 𝒳 and 🦜 in UTF-16, but before them in UTF-8.
const words = ["a", "ab", "b", "|", "is:post", "é", "\ue000", "\ufffd", "𝒳", "🦜", "🦜a", "url:x"];
const change = fc.record({
  post: fc.nat(150),
  tokens: fc.option(fc.array(fc.constantFrom(...words), { maxLength: 9 })),
});

test("a resealed index has the latest version of each post, from whichever index contains it", () => {
  const generations = fc.array(fc.array(change, { maxLength: 90 }), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(generations, (all) => {
      const segment = resealableSegment();
      for (const changes of all) {
        for (const { post, tokens } of changes) segment.change(BigInt(post) << 31n, tokens);
        segment.seal();
        const ids = new Set(segment.posts.keys());
        expect(sealedContents(segment.database())).toEqual(expectedContents(segment.posts, ids));
      }
    }),
    {
      numRuns: 25,
      examples: [
        [
          [
            words.map((word, post) => ({ post, tokens: [word] })),
            words.map((word, post) => ({ post: post + 20, tokens: [word, "b"] })),
          ],
        ],
      ],
    },
  );
});

function getText(n: number): string[] {
  const tokens = ["is:post", "all", `w${n % 7}`, `once${n}`];
  if (n % 5 === 0) tokens.push("|", "all", "\ue000", "🦜");
  if (n % 11 === 0) tokens.push("rare", "rare");
  if (n % 500 === 0) tokens.push(...new Array<string>(300).fill("x"), "all", "late");
  return tokens;
}

test("resealing copies terms of every form: in the dictionary, in one row, and in one row per chunk", () => {
  const first = new Map<bigint, string[]>();
  for (let n = 0; n < 10_500; n += 1) first.set(BigInt(n) * 10n, getText(n));
  const segment = resealableSegment();
  addToFts(segment.database(), first);
  for (const [id, tokens] of first) segment.posts.set(id, tokens);
  segment.seal();
  for (let n = 0; n < 10_500; n += 450) {
    segment.change(BigInt(n) * 10n, null);
    segment.change(BigInt(n) * 10n + 3n, getText(n));
    segment.change(BigInt(n) * 10n + 450n, ["all", "edited"]);
  }
  segment.seal();
  const ids = new Set(segment.posts.keys());
  expect(sealedContents(segment.database())).toEqual(expectedContents(segment.posts, ids));
});

test("resealing copies hidden posts, and hides nothing in the result", () => {
  const segment = resealableSegment();
  segment.change(1n, ["a"]);
  segment.change(2n, ["a", "b"]);
  segment.seal();
  segment.hide(1n);
  segment.seal();
  expect(sealedContents(segment.database())).toEqual(
    expectedContents(segment.posts, new Set([1n, 2n])),
  );
  const bitmaps = "SELECT replaced, hidden FROM sealed_mask";
  const nothing = new Uint8Array(0);
  expect(segment.database().prepare(bitmaps).all()).toEqual([
    { replaced: nothing, hidden: nothing },
  ]);
});

test("resealing reports indexed posts without a row", () => {
  const segment = resealableSegment();
  for (let id = 1n; id <= 100n; id += 1n)
    segment.change(id, ["all", "all", `w${id % 3n}`, `once${id}`]);
  segment.seal();
  const ids = new Set([...segment.posts.keys()].filter((id) => id % 3n !== 0n));
  expect(() => segment.seal(ids)).toThrow(/have no row/);
});

test.each([
  ["a row of posts is missing", "DELETE FROM sealed_docs WHERE row = 0"],
  ["a row of positions is missing", "DELETE FROM sealed_positions"],
  [
    "a row of posts is truncated",
    "UPDATE sealed_docs SET docs = substr(docs, 1, length(docs) - 4)",
  ],
  ["a row of posts is not in order", "UPDATE sealed_docs SET docs = zeroblob(length(docs))"],
  [
    "a row of positions is truncated",
    "UPDATE sealed_positions SET positions = substr(positions, 2)",
  ],
  [
    "a row has nonexistent posts",
    "UPDATE sealed_docs SET docs = substr(docs, 1, length(docs) - 4) || x'ffffffff'",
  ],
  ["a block is truncated", "UPDATE sealed_terms SET block = substr(block, 1, length(block) - 1)"],
  [
    "a block begins with a term that shares bytes",
    "UPDATE sealed_terms SET block = x'01' || substr(block, 2)",
  ],
  ["a term occurs twice", "UPDATE sealed_terms SET block = block || block"],
  ["a block is not a blob", "UPDATE sealed_terms SET block = 5"],
  ["a page of IDs is missing", "DELETE FROM sealed_ids"],
  ["a page of IDs is truncated", "UPDATE sealed_ids SET ids = substr(ids, 5)"],
  ["there are too many IDs", "UPDATE sealed SET posts = posts - 1"],
  [
    "two IDs are swapped",
    "UPDATE sealed_ids SET ids = substr(ids, 1, 8) || substr(ids, 17, 8) || substr(ids, 9, 8) || substr(ids, 25)",
  ],
  ["an ID belongs to no post", "UPDATE sealed_ids SET ids = substr(ids, 1, 99 * 8) || zeroblob(8)"],
  [
    "a replaced post is missing from FTS5",
    "UPDATE sealed_mask SET replaced = x'02' || zeroblob(8191), hidden = zeroblob(8192)",
  ],
  ["a post that FTS5 has is not replaced", "INSERT INTO term(rowid, terms) VALUES (7, 'all')"],
  [
    "the length of a term does not fit into 32 bits",
    "UPDATE sealed_terms SET block = x'008680808010' || substr(block, 3) WHERE first = 'all'",
  ],
  [
    "a position does not fit into 31 bits",
    "UPDATE sealed_terms SET block = substr(block, 1, length(block) - 1) || x'feffffff7f'",
  ],
  [
    "blocks are not in order",
    "INSERT INTO sealed_terms SELECT 'zzz', block, sum FROM sealed_terms WHERE first = 'all'",
  ],
])("resealing reports damage if %s", (_, damage) => {
  const segment = resealableSegment();
  for (let id = 1n; id <= 100n; id += 1n) segment.change(id, ["all", "all", `once${id}`]);
  segment.seal();
  segment.database().exec(damage);
  expect(() => segment.seal()).toThrow(SealedDamageError);
});
