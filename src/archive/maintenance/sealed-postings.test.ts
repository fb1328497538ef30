import { expect, test } from "vitest";
import { byteReader, MalformedDataError } from "./sealed-bytes.ts";
import { postingsReader } from "./sealed-postings.ts";

const allPosts = 70_000;

const u16 = (...values: number[]): Uint8Array => new Uint8Array(Uint16Array.from(values).buffer);
const u32 = (...values: number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);
const joined = (...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts));

function listPosts(row: Uint8Array, chunk: number, counts: readonly number[]): number[] {
  const reader = postingsReader(allPosts);
  reader.begin(false);
  reader.readContainers(row, chunk, counts);
  const { count, numbers } = reader.postings();
  return Array.from(numbers.subarray(0, count));
}

function rowPositions(row: Uint8Array, posts: number): number[][] {
  const reader = postingsReader(allPosts);
  reader.begin(true);
  reader.readContainers(list(posts), 0, [posts]);
  reader.readPositions(row, posts);
  return readPositions(reader);
}

function readPositions(reader: ReturnType<typeof postingsReader>): number[][] {
  const { count, positions, starts } = reader.postings();
  return Array.from({ length: count }, (_, index) =>
    Array.from(positions?.subarray(starts[index], starts[index + 1]) ?? []),
  );
}

const list = (posts: number): Uint8Array =>
  u16(...Array.from({ length: posts + (posts % 2) }, (_, index) => (index < posts ? index : 0)));

test("containers of several chunks, each padded to four bytes, are read", () => {
  expect(listPosts(u16(3, 9, 65_535, 0, 5, 0), 0, [3, 1])).toEqual([3, 9, 65_535, 65_541]);
});

test("a chunk of many posts is read as a bitmap", () => {
  const row = new Uint8Array(8_192);
  row.fill(255, 0, 512);
  row[8_191] = 128;
  expect(listPosts(row, 0, [4_097])).toEqual([...Array.from({ length: 4_096 }).keys(), 65_535]);
});

test.for<[string, Uint8Array, number, number[]]>([
  ["too few bytes", u16(1, 2), 0, [3]],
  ["too many bytes", u16(1, 2, 3, 4), 0, [2]],
  ["posts that are not in order", u16(2, 1), 0, [2]],
  ["a post twice", u16(2, 2), 0, [2]],
  ["nonzero bytes after the last post of a list", u16(1, 2, 3, 4), 0, [3]],
  ["a nonexistent post", u16(4_464, 0), 1, [1]],
  ["a bitmap of more posts than its count", new Uint8Array(8_192).fill(1), 0, [8_000]],
  ["a bitmap of fewer posts than its count", new Uint8Array(8_192).fill(1), 0, [8_193]],
])("a row of posts with %s is malformed", ([, row, chunk, counts]) => {
  expect(() => listPosts(row, chunk, counts)).toThrow(MalformedDataError);
});

test("positions are read from single bytes, or from the table if there are several or a large one", () => {
  expect(rowPositions(Uint8Array.of(0, 254, 7), 3)).toEqual([[0], [254], [7]]);
  const table = u16(1, 2, 0, 2, 4, 0x8000 + 9, 0x8000 + 255, 0);
  const row = joined(u32(2, 3), table, Uint8Array.of(3, 255, 255));
  expect(rowPositions(row, 3)).toEqual([[3], [4, 9], [255]]);
});

test("positions above 15 bits are read from a wider table", () => {
  const head = [u32(0x8000_0000 + 1, 2), u32(0), u32(0)];
  const row = joined(...head, u32(32_767, 0x8000_0000 + 40_000), Uint8Array.of(255, 1));
  expect(rowPositions(row, 2)).toEqual([[32_767, 40_000], [1]]);
});

const table = (...items: number[]): Uint8Array => joined(u32(1, 2), u16(1, 0, ...items));

test.for<[string, Uint8Array]>([
  ["a post that is missing from the table", Uint8Array.of(255, 1)],
  ["too many bytes", Uint8Array.of(1, 2, 3)],
  ["a table for another post", joined(table(4, 0x8005), Uint8Array.of(255, 1))],
  ["a table for no post", joined(table(4, 0x8005), Uint8Array.of(1, 1))],
  ["a list without an end", joined(table(4, 5), Uint8Array.of(1, 255))],
  ["a list that is too long", joined(table(0x8004, 0x8005), Uint8Array.of(1, 255))],
  ["positions that are not in order", joined(table(5, 0x8005), Uint8Array.of(1, 255))],
  ["a table that is too long", joined(u32(9, 9), Uint8Array.of(1, 255))],
  [
    "a list padded with other bytes",
    joined(u32(1, 1), u16(1, 0, 0x8004, 1), Uint8Array.of(1, 255)),
  ],
])("a row of positions with %s is malformed", ([, row]) => {
  expect(() => rowPositions(row, 2)).toThrow(MalformedDataError);
});

test("short posting lists and their positions are read from the dictionary", () => {
  const reader = postingsReader(allPosts);
  reader.begin(true);
  reader.readInline(
    byteReader(Uint8Array.of(0x80, 0x02, 4, 2 * 7, 2 * 1 + 1, ((2 * 300) & 127) | 128, 4)),
    2,
  );
  expect(Array.from(reader.postings().numbers.subarray(0, 2))).toEqual([256, 260]);
  expect(readPositions(reader)).toEqual([[7], [1, 301]]);
});

test.for<[string, number[]]>([
  ["a post twice", [5, 0, 2, 2]],
  ["a position twice", [5, 1, 3, 0, 2]],
  ["an entry that ends too early", [5, 1, 2]],
  ["a nonexistent post", [0xff, 0xff, 0x7f, 1, 2, 2]],
  ["a number that is too large", [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
])("a posting list in the dictionary with %s is malformed", ([, bytes]) => {
  const reader = postingsReader(allPosts);
  reader.begin(true);
  expect(() => reader.readInline(byteReader(Uint8Array.from(bytes)), 2)).toThrow(
    MalformedDataError,
  );
});
