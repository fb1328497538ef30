import { expect, test } from "vitest";
import { idTimeMs, lowestId } from "../../posts/ids.ts";
import { bitmapSet } from "../sealed/chunk-set.ts";
import { postsPerChunk, wordsPerBitmap } from "../sealed/format.ts";
import type { SealedIndex } from "../sealed/sealed-index.ts";
import { countInSealed } from "./count-in-sealed.ts";
import { emptyTally, splitByClock } from "./id-clock.ts";

const posts = 3 * postsPerChunk;
const newestMs = Date.UTC(2026, 0, 1);
const idAt = (number: number): bigint => lowestId(newestMs - number * 1_000);
const everyPost = bitmapSet(new Uint32Array(wordsPerBitmap).fill(0xffffffff), postsPerChunk);
const range = { low: idAt(posts - 1), high: idAt(0) };

const index: SealedIndex = {
  posts,
  sealedMs: 0,
  numbers: {
    posts,
    idAt,
    firstNumberBelow: (id) => {
      const number = Math.floor((newestMs - idTimeMs(id)) / 1_000) + 1;
      return Math.min(posts, Math.max(0, lowestId(idTimeMs(id)) < id ? number - 1 : number));
    },
    findNumber: () => null,
    close: () => {},
  },
  isKnownToLack: () => false,
  *matches(_query, { from, to }, _omitted, work) {
    for (let chunk = Math.floor(from / postsPerChunk); chunk * postsPerChunk < to; chunk++) {
      const start = chunk * postsPerChunk;
      work.containers += 1;
      yield {
        chunk,
        set: everyPost,
        from: Math.max(0, from - start),
        to: Math.min(postsPerChunk, to - start),
      };
    }
  },
  close: () => {},
};
const sources = { index, query: { kind: "every" } as const, omittedSet: () => null };

function count(widthMs: number, skewMs: number, expired: () => boolean) {
  const skew = { minMs: -skewMs, maxMs: 0 };
  const [reported] = splitByClock(range, { originMs: 0, widthMs }, skew);
  if (reported === undefined) throw new Error("nothing to count");
  const tally = emptyTally();
  let rows = 0;
  const listTimes = (ids: readonly bigint[]): number[] => {
    rows += ids.length;
    return ids.map(idTimeMs);
  };
  countInSealed(sources, reported.part, reported.clock, listTimes, expired, tally);
  return { ...tally, rows };
}

const hourMs = 3_600_000;
const never = (): boolean => false;

test("counting in a sealed segment counts every bucket, across chunks, without reading rows", () => {
  const { counts, rows, containers, stoppedAt } = count(hourMs, 0, never);
  const expected = new Map<number, number>();
  for (let number = 0; number < posts; number++) {
    const bucket = Math.floor((newestMs - number * 1_000) / hourMs);
    expected.set(bucket, (expected.get(bucket) ?? 0) + 1);
  }
  expect([...counts]).toEqual([...expected]);
  expect({ rows, containers, stoppedAt }).toEqual({ rows: 0, containers: 3, stoppedAt: null });
});

test("counting in a sealed segment reads only the rows of posts that may be in the adjacent bucket", () => {
  const { counts, rows } = count(hourMs, 10_000, never);
  expect([...counts]).toEqual([...count(hourMs, 0, never).counts]);
  const boundaries =
    Math.floor(newestMs / hourMs) - Math.floor((newestMs - posts * 1_000) / hourMs);
  expect(rows).toBeGreaterThan(boundaries * 9);
  expect(rows).toBeLessThanOrEqual((boundaries + 1) * 10);
});

test("counting in a sealed segment stops after a chunk once the deadline has passed, and reports how far it got", () => {
  const { stoppedAt, containers, counts } = count(hourMs, 0, () => true);
  expect(stoppedAt).toBe(idAt(postsPerChunk) + 1n);
  expect(containers).toBe(1);
  expect([...counts.values()].reduce((sum, number) => sum + number, 0)).toBe(postsPerChunk);
});

test("counting in a sealed segment stops between rows once the deadline has passed, if every row must be read", () => {
  const { stoppedAt, rows } = count(hourMs, 2 * hourMs, () => true);
  expect(stoppedAt).toBe(idAt(rows) + 1n);
  expect(rows).toBeLessThan(1_000);
});
