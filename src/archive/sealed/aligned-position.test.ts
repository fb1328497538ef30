import fc from "fast-check";
import { expect, test } from "vitest";
import { alignedPosition, type Word } from "./aligned-position.ts";
import { lastPositionFlag, listedPositions } from "./positions.ts";

function wordAt(positions: readonly number[]): Word {
  const list = Uint32Array.from(positions, (position, index) =>
    index === positions.length - 1 ? (position | lastPositionFlag) >>> 0 : position,
  );
  return { positions: listedPositions(Uint32Array.of(0), list), ranks: Uint32Array.of(0) };
}

const getPhrase = (words: readonly (readonly number[])[]): Word[] => words.map(wordAt);

function expectedPosition(words: readonly (readonly number[])[]): number | null {
  const [first = []] = words;
  return (
    first.find((position) =>
      words.every((positions, index) => positions.includes(position + index)),
    ) ?? null
  );
}

const positions = fc
  .uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 })
  .map((positions) => positions.toSorted((a, b) => a - b));

test("aligning positions finds the first position at which the words are adjacent", () => {
  fc.assert(
    fc.property(fc.array(positions, { minLength: 1, maxLength: 5 }), (words) => {
      expect(alignedPosition(getPhrase(words), 0)).toBe(expectedPosition(words));
    }),
    {
      numRuns: 2_000,
      examples: [
        [[[0], [0]]],
        [[[0], [1]]],
        [
          [
            [0, 5],
            [6, 9],
          ],
        ],
        [
          [
            [3, 4, 5],
            [3, 4, 5],
            [3, 4, 5],
          ],
        ],
        [[[1, 2], [1, 2], [9]]],
      ],
    },
  );
});

test("aligning positions finds a phrase with unusually many words", () => {
  const everywhere = Array.from({ length: 500 }, (_, position) => position);
  const words = Array.from({ length: 400 }, () => everywhere);
  expect(alignedPosition(getPhrase(words), 0)).toBe(0);
  expect(alignedPosition(getPhrase([...words, [3, 450]]), 0)).toBe(50);
});

test.each([
  ["in one run", (position: number) => position < 4_000],
  ["in runs that are one too short", (position: number) => position % 200 !== 199],
  ["at every other position", (position: number) => position % 2 === 0],
])(
  "aligning a phrase that repeats a word, which occurs %s, reads each position only a few times",
  (_what, hasWord) => {
    const repeated = Array.from({ length: 4_000 }, (_, position) => position).filter(hasWord);
    const last = Array.from({ length: 4_000 }, (_, position) => position).filter(
      (position) => !hasWord(position),
    );
    const end = last.length > 1 ? last : [4_001, 4_003];
    for (const phrase of [
      [...Array.from({ length: 200 }, () => repeated), end],
      [end, ...Array.from({ length: 200 }, () => repeated)],
    ]) {
      let reads = 0;
      const counted = getPhrase(phrase).map(({ positions, ranks }) => ({
        ranks,
        positions: {
          ...positions,
          list: new Proxy(positions.list, {
            get: (list, key) => {
              if (key === "length") return list.length;
              reads += 1;
              return list[Number(key)];
            },
          }),
        },
      }));
      alignedPosition(counted, 0);
      expect(reads).toBeLessThan(20 * (repeated.length + end.length + phrase.length));
    }
  },
);
