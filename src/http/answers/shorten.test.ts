import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeAllowance, minTextLength } from "./budget.ts";
import { characterCount, shortenText } from "./shorten.ts";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 400 });
const mixedText = fc
  .array(
    fc.constantFrom(
      "a",
      " ",
      "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}",
      "e\u0301",
      "\ud800",
      "字",
      "\n",
    ),
    {
      minLength: 1,
      maxLength: 300,
    },
  )
  .map((pieces) => pieces.join(""));

describe("a shortened text", () => {
  test("a shortened text is a prefix with an ellipsis, within the requested length", () => {
    fc.assert(
      fc.property(fc.oneof(text, mixedText), fc.nat(300), (whole, cut) => {
        const length = characterCount(whole);
        expect(length).toBe([...whole].length);
        const characters = 1 + (cut % length);
        const shortText = shortenText(whole, characters);
        expect(characterCount(shortText)).toBeLessThanOrEqual(characters);
        expect(shortText.at(-1)).toBe("…");
        expect(whole.startsWith(shortText.slice(0, -1))).toBe(true);
      }),
    );
  });

  test.each([
    ["whole words are kept", "the comet over the bay tonight", 20, "the comet over the…"],
    ["a cut may fall on a space", "the comet over", 10, "the comet…"],
    ["a long word is cut", "a".repeat(60), 10, `${"a".repeat(9)}…`],
    ["a script without spaces is cut between letters", "彗星が湾の上に見える", 5, "彗星が湾…"],
    ["no lone surrogate remains", "\u{1f600}".repeat(9), 4, `${"\u{1f600}".repeat(3)}…`],
    ["a joined emoji stays whole", "ab\u{1f468}\u200d\u{1f469}\u200d\u{1f467}cd", 5, "ab…"],
    ["letters keep their accents", "aae\u0301bbbbb", 4, "aa…"],
  ])("a text is shortened without splitting characters: %s", (_, whole, characters, short) => {
    expect(shortenText(whole, characters)).toBe(short);
  });

  test("a character with thousands of marks is cut like any other", () => {
    const shortText = shortenText(`a${"\u0301".repeat(100_000)}`, 1_000);
    expect(characterCount(shortText)).toBe(1_000);
  });
});

describe("the allowance", () => {
  const lengths = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 60 });
  const budget = fc.integer({ min: minTextLength, max: 100_000 });
  const lengthWithin = (all: readonly number[], perPost: number) =>
    all.reduce((sum, length) => sum + Math.min(length, perPost), 0);

  test("the allowance stays within the budget, and uses it up if a text is shortened", () => {
    fc.assert(
      fc.property(lengths, budget, (all, characters) => {
        const { posts, perPost } = computeAllowance(all, characters);
        const includedLengths = all.slice(0, posts);
        const usedLength = lengthWithin(includedLengths, perPost);
        expect(posts).toBeGreaterThan(0);
        expect(usedLength).toBeLessThanOrEqual(characters);
        expect(perPost).toBeGreaterThanOrEqual(minTextLength);
        if (includedLengths.some((length) => length > perPost)) {
          expect(usedLength).toBeGreaterThan(characters - includedLengths.length);
        }
      }),
    );
  });

  test("the allowance omits a post only if not even its shortest prefix fits", () => {
    fc.assert(
      fc.property(lengths, budget, (all, characters) => {
        const { posts } = computeAllowance(all, characters);
        if (posts === all.length) return;
        expect(lengthWithin(all.slice(0, posts + 1), minTextLength)).toBeGreaterThan(characters);
      }),
    );
  });

  test.each([
    [[10, 20, 30], 100, { posts: 3, perPost: Number.POSITIVE_INFINITY }],
    [[10, 1_000, 30], 500, { posts: 3, perPost: 460 }],
    [[1_000, 1_000], 600, { posts: 2, perPost: 300 }],
    [[1_000, 1_000, 1_000], 250, { posts: 2, perPost: 125 }],
    [[1_000, 0, 0], 100, { posts: 3, perPost: 100 }],
  ])(
    "the allowance for texts of %j characters is computed from a budget of %d characters",
    (all, characters, allowance) => {
      expect(computeAllowance(all, characters)).toEqual(allowance);
    },
  );
});
