import { afterEach, expect, test } from "vitest";
import {
  addToFts,
  emptySegment,
  expectedContents,
  type PostTokens,
  sealedContents,
  sealedFrom,
} from "../../../testkit/archives/segment-contents.ts";
import { buildSealed } from "./build.ts";
import { openDocNumbers } from "./doc-numbers.ts";
import { dictionaryBlockBytes, maxInlinePosts, maxOneRowPosts, minBitmapPosts } from "./format.ts";
import { UnreadableFtsError } from "./fts-structure.ts";

const opened: { close(): void }[] = [];
const closedAfterTest = <Value extends { close(): void }>(value: Value): Value => {
  opened.push(value);
  return value;
};
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

function sealed(posts: PostTokens, ids: Iterable<bigint> = posts.keys()) {
  const source = closedAfterTest(emptySegment());
  addToFts(source, posts);
  return closedAfterTest(sealedFrom(source, ids).sealed);
}

const repeat = (token: string, times: number): string[] =>
  Array.from({ length: times }, () => token);

test("a sealed index stores every term and position in its posts", () => {
  const posts: PostTokens = new Map([
    [7n, ["is:post", "lang:en", "a", "b", "a", "|", "c"]],
    [4_611_686_018_427_387_904n, ["is:post", "b"]],
    [9_007_199_254_740_993n, ["is:post", "url:b", "$b", "@b", "likes>=10", "|", "|"]],
    [9_007_199_254_740_992n, []],
    [0n, ["zero", "is:post"]],
  ]);
  const database = sealed(posts);
  expect(sealedContents(database)).toEqual(expectedContents(posts, new Set(posts.keys())));
});

test.each([
  ["the last position that fits into a byte", 254, 255],
  ["the first position that needs two bytes", 255, 256],
  ["the position after that one", 256, 257],
  ["the last position that fits into an item of 16 bits", 32_767, 32_768],
  ["the first position that needs an item of 32 bits", 32_768, 32_769],
])("a sealed index stores %s", (_, position, length) => {
  const late = [...repeat("x", position), "late"];
  expect(late).toHaveLength(length);
  const few: PostTokens = new Map([
    [1n, late],
    [2n, ["late", "x"]],
  ]);
  expect(sealedContents(sealed(few))).toEqual(expectedContents(few, new Set(few.keys())));
  const many = new Map(few);
  for (let id = 3n; id < 80n; id += 1n) many.set(id, ["x", "late", "late"]);
  expect(sealedContents(sealed(many))).toEqual(expectedContents(many, new Set(many.keys())));
});

test("a sealed index stores a row of positions whose list is too long for 16-bit offsets", () => {
  const posts = new Map<bigint, string[]>();
  for (let id = 1n; id <= 300n; id += 1n) posts.set(id, repeat("w", 230));
  expect(sealedContents(sealed(posts))).toEqual(expectedContents(posts, new Set(posts.keys())));
});

test("a sealed index chooses the form of a posting list by its number of posts, at every limit", () => {
  const rows = [maxInlinePosts, maxInlinePosts + 1, maxOneRowPosts, maxOneRowPosts + 1];
  const edges = [1, 2, ...rows, minBitmapPosts - 1, minBitmapPosts, minBitmapPosts + 1];
  const posts = new Map<bigint, string[]>();
  for (let n = 0; n < minBitmapPosts + 2; n += 1) {
    const tokens = edges.filter((edge) => n < edge).map((edge) => `w${edge}`);
    posts.set(1_000_000n - BigInt(n) * 3n, [...tokens, ...tokens.map((token) => `is:${token}`)]);
  }
  const database = sealed(posts);
  expect(sealedContents(database)).toEqual(expectedContents(posts, new Set(posts.keys())));
  const readRows = (table: string) =>
    database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n;
  const withRows = edges.filter((edge) => edge > maxInlinePosts).length;
  expect([readRows("sealed_docs"), readRows("sealed_positions")]).toEqual([2 * withRows, withRows]);
});

test("a sealed index stores the posts of a term in several chunks in one row, or in one row per chunk", () => {
  const ids = Array.from({ length: 70_000 }, (_, n) => BigInt(n) * 9n);
  const posts = new Map<bigint, string[]>();
  for (let n = 0; n <= maxOneRowPosts; n += 1) {
    const tokens = n < maxOneRowPosts ? ["row", "rows", "is:row"] : ["rows"];
    posts.set(ids[n * 17] ?? 0n, [...tokens, "rows", `w${n % 40}`]);
  }
  for (const id of ids) if (!posts.has(id)) posts.set(id, []);
  const source = closedAfterTest(emptySegment());
  addToFts(source, posts);
  const once = closedAfterTest(sealedFrom(source, ids).sealed);
  const resealed = closedAfterTest(sealedFrom(once, ids).sealed);
  for (const database of [once, resealed]) {
    expect(sealedContents(database)).toEqual(expectedContents(posts, new Set(posts.keys())));
    const rows = database.prepare("SELECT count(*) AS n FROM sealed_docs").get()?.n;
    expect(rows).toBe(40 + 2 + 2);
  }
});

test("a sealed index stores terms longer than a dictionary block", () => {
  const long = (fill: string) => fill.repeat(dictionaryBlockBytes + 10);
  const posts: PostTokens = new Map([
    [1n, [`a${long("x")}`, `a${long("x")}y`, "a", "b"]],
    [2n, [long("é"), `a${long("x")}`, "z"]],
  ]);
  expect(sealedContents(sealed(posts))).toEqual(expectedContents(posts, new Set(posts.keys())));
});

test("a sealed index fills each dictionary block up to a limit that includes its first term", () => {
  const posts = new Map<bigint, string[]>();
  for (let id = 1n; id <= 500n; id += 1n) posts.set(id, [`term${id}`, `${id}`.repeat(20), "all"]);
  const database = sealed(posts);
  const lengths = database
    .prepare("SELECT length(CAST(first AS BLOB)) + length(block) AS bytes FROM sealed_terms")
    .all()
    .map(({ bytes }) => Number(bytes));
  expect(lengths.length).toBeGreaterThan(4);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(dictionaryBlockBytes);
  expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThan(dictionaryBlockBytes - 150);
});

test("sealing reports a post in FTS5 that has no row", () => {
  const posts: PostTokens = new Map([
    [1n, ["a", "b"]],
    [2n, ["b", "c"]],
    [3n, ["a", "d"]],
  ]);
  expect(() => sealed(posts, [1n, 3n])).toThrow(/have no row/);
});

test("sealing reports a post that is missing from FTS5", () => {
  const posts: PostTokens = new Map([[1n, ["a", "b"]]]);
  expect(() => sealed(posts, [1n, 2n])).toThrow(UnreadableFtsError);
  expect(() => sealed(posts, [1n, 2n])).toThrow("1 of 2 posts are in no index");
});

test("sealing numbers posts by ID, newest first", () => {
  const ids = Array.from({ length: 1_100 }, (_, n) => BigInt(n) * 4_000_000_000_000n + 17n);
  const database = sealed(new Map(ids.map((id) => [id, ["a"]])));
  const numbers = openDocNumbers(database, "numbers", null);
  expect(numbers.posts).toBe(1_100);
  expect(ids.map((id) => numbers.findNumber(id))).toEqual(ids.map((_, n) => 1_099 - n));
});

test("an index without posts is built from an empty source", () => {
  const database = sealed(new Map(), []);
  expect(sealedContents(database)).toEqual(new Map());
});

test("the last row that sealing writes is the one that marks a segment as sealed", () => {
  const source = closedAfterTest(emptySegment());
  addToFts(source, new Map([[1n, ["a", "b"]]]));
  const target = closedAfterTest(emptySegment());
  const steps = buildSealed(source, target, BigInt64Array.of(1n), 5);
  const rows = () => target.prepare("SELECT posts, sealed_ms FROM sealed").all();
  while (!steps.next().done && rows().length === 0);
  for (const step of steps) expect(step).toBe("written after the row");
  expect(rows()).toEqual([{ posts: 1, sealed_ms: 5 }]);
  expect(sealedContents(target).size).toBe(2);
});

test("sealing releases its source and leaves its target unsealed when it is abandoned", () => {
  const source = closedAfterTest(emptySegment());
  const posts = new Map<bigint, string[]>();
  for (let id = 1n; id <= 12_000n; id += 1n) posts.set(id, ["all", `w${id}`]);
  addToFts(source, posts);
  const target = closedAfterTest(emptySegment());
  const ids = BigInt64Array.from([...posts.keys()].reverse());
  const steps = buildSealed(source, target, ids, 5);
  for (let n = 0; n < 4; n += 1) expect(steps.next().done).toBe(false);
  steps.return();
  source.exec("INSERT INTO term(term) VALUES ('delete-all'); DROP TABLE term");
  expect(target.prepare("SELECT * FROM sealed").all()).toEqual([]);
});
