import fc from "fast-check";
import { expect, test } from "vitest";
import { positionsRow } from "../../../testkit/archives/sealed-tables.ts";
import { bitmapSet, type ChunkSet, emptySet, listSet, readMembers } from "./chunk-set.ts";
import { minBitmapPosts, postsPerChunk, wordsPerBitmap } from "./format.ts";
import { createPhraseFinder } from "./phrase.ts";
import { readPositions } from "./positions.ts";
import type { PostingList } from "./posting-list.ts";
import { createScratch } from "./scratch.ts";

const letters = ["a", "b", "c"] as const;
type Letter = (typeof letters)[number];
type Tokens = readonly Letter[];

function makePostingList(letter: Letter, posts: readonly Tokens[]): PostingList {
  const numbers = [...posts.keys()].filter((number) => posts[number]?.includes(letter));
  const locations = numbers.map((number) => positionsIn(posts[number] ?? [], letter));
  const positions = readPositions(new Uint8Array(positionsRow(locations)), locations.length);
  const set = setOf(numbers);
  return { counts: Uint32Array.of(numbers.length), set: () => set, positions: () => positions };
}

const positionsIn = (tokens: Tokens, letter: Letter): number[] =>
  [...tokens.keys()].filter((position) => tokens[position] === letter);

function setOf(numbers: readonly number[]): ChunkSet {
  if (numbers.length === 0) return emptySet;
  if (numbers.length < minBitmapPosts) return listSet(Uint16Array.from(numbers), numbers.length);
  const bits = new Uint32Array(wordsPerBitmap);
  for (const number of numbers)
    bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
  return bitmapSet(bits, numbers.length);
}

const hasPhrase = (tokens: Tokens, phrase: Tokens): boolean =>
  tokens.some((_, position) =>
    phrase.every((letter, number) => tokens[position + number] === letter),
  );

const finder = createPhraseFinder();

function findPosts(posts: readonly Tokens[], phrase: Tokens): number[] {
  const lists = new Map(letters.map((letter) => [letter, makePostingList(letter, posts)]));
  const candidates = [...posts.keys()].filter((number) =>
    phrase.every((letter) => posts[number]?.includes(letter)),
  );
  const phraseLists = phrase.flatMap((letter) => lists.get(letter) ?? []);
  const set = finder.find(phraseLists, 0, setOf(candidates), createScratch());
  const out = new Uint16Array(postsPerChunk);
  return [...out.subarray(0, readMembers(set, 0, postsPerChunk, out, postsPerChunk))];
}

const expected = (posts: readonly Tokens[], phrase: Tokens): number[] =>
  [...posts.keys()].filter((number) => hasPhrase(posts[number] ?? [], phrase));

const tokens = fc.array(fc.constantFrom<Letter[]>("a", "a", "b", "c"), { maxLength: 14 });
const phrases = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 5 });

test("a phrase finds the posts in which its words are adjacent, including repeated words", () => {
  fc.assert(
    fc.property(fc.array(tokens, { maxLength: 40 }), phrases, (posts, phrase) => {
      expect(findPosts(posts, phrase)).toEqual(expected(posts, phrase));
    }),
    {
      numRuns: 400,
      examples: [
        [
          [
            ["a", "a"],
            ["a", "b", "a"],
            ["a", "b", "a", "a"],
          ],
          ["a", "a"],
        ],
        [
          [
            ["a", "a", "b"],
            ["a", "b", "a"],
            ["b", "a", "a"],
          ],
          ["a", "a", "b"],
        ],
        [
          [
            ["b", "a", "b"],
            ["b", "b", "a"],
          ],
          ["b", "a", "b"],
        ],
        [
          [
            [...Array<Letter>(300).fill("c"), "a", "a"],
            ["a", "c", "a"],
          ],
          ["c", "a", "a"],
        ],
      ],
    },
  );
});

test.each<[string, Tokens]>([
  ["of two words", ["a", "b"]],
  ["with a repeated word", ["a", "b", "a"]],
  ["of one word twice", ["a", "a"]],
])("a phrase %s is found in thousands of posts", (_name, phrase) => {
  const songs: Tokens[] = [
    ["a", "b", "a", "a"],
    ["c", "a", "b", "a", "a", "b"],
    ["b", "a", "c", "a"],
  ];
  const posts = Array.from({ length: 3 * minBitmapPosts }, (_, number) => songs[number % 3] ?? []);
  expect(expected(posts, phrase).length).toBeGreaterThan(minBitmapPosts);
  expect(findPosts(posts, phrase)).toEqual(expected(posts, phrase));
});
