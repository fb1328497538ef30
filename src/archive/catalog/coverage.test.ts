import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  intersectSpans,
  joinOldest,
  type Span,
  subtractSpans,
  unionSpans,
} from "../../lib/spans.ts";
import { gapsIn, platformWideIntervals } from "./coverage.ts";

const nowMs = 1_000_000;

const interval = (fromMs: number, toMs: number, source = "jetstream") => ({
  platform: "bluesky" as const,
  collection: "posts" as const,
  account: null,
  source,
  fromMs,
  toMs,
});

describe("gaps of a window", () => {
  test("without coverage, the whole window is a gap", () => {
    expect(gapsIn({ fromMs: 10, toMs: 20 }, [], nowMs, 0)).toEqual([{ fromMs: 10, toMs: 20 }]);
    expect(gapsIn({ fromMs: null, toMs: 20 }, [], nowMs, 0)).toEqual([{ fromMs: null, toMs: 20 }]);
  });

  test("a window covered by one interval or by adjacent intervals has no gaps", () => {
    expect(gapsIn({ fromMs: 10, toMs: 20 }, [interval(5, 25)], nowMs, 0)).toEqual([]);
    const pieces = [interval(15, 30), interval(5, 12), interval(12, 16)];
    expect(gapsIn({ fromMs: 10, toMs: 20 }, pieces, nowMs, 0)).toEqual([]);
  });

  test("a window has gaps before, between and after its intervals", () => {
    expect(
      gapsIn({ fromMs: 0, toMs: 100 }, [interval(10, 20), interval(40, 60)], nowMs, 0),
    ).toEqual([
      { fromMs: 0, toMs: 10 },
      { fromMs: 20, toMs: 40 },
      { fromMs: 60, toMs: 100 },
    ]);
  });

  test("the first gap of an unbounded window has no start", () => {
    expect(gapsIn({ fromMs: null, toMs: 100 }, [interval(10, 100)], nowMs, 0)).toEqual([
      { fromMs: null, toMs: 10 },
    ]);
  });

  test("intervals outside a window do not affect its gaps", () => {
    expect(gapsIn({ fromMs: 50, toMs: 60 }, [interval(0, 40), interval(70, 80)], nowMs, 0)).toEqual(
      [{ fromMs: 50, toMs: 60 }],
    );
  });

  test("a live stream that lags by at most the slack leaves no gap at the end of a window that reaches the present", () => {
    const toNow = { fromMs: 10, toMs: nowMs };
    expect(gapsIn(toNow, [interval(0, nowMs - 5)], nowMs, 5)).toEqual([]);
    expect(gapsIn(toNow, [interval(0, nowMs - 6)], nowMs, 5)).toEqual([
      { fromMs: nowMs - 6, toMs: nowMs },
    ]);
  });

  test("a backfill or a single account's interval that ends before the present leaves a gap", () => {
    const toNow = { fromMs: 10, toMs: nowMs };
    const expectedGaps = [{ fromMs: nowMs - 1, toMs: nowMs }];
    expect(gapsIn(toNow, [interval(0, nowMs - 1, "backfill")], nowMs, 5)).toEqual(expectedGaps);
    const oneAccount = { ...interval(0, nowMs - 1), account: "did:plc:a" };
    expect(gapsIn(toNow, [oneAccount], nowMs, 5)).toEqual(expectedGaps);
  });

  test("an interval that begins in 1970 or earlier leaves no gap before it", () => {
    for (const fromMs of [0, -1]) {
      expect(gapsIn({ fromMs: null, toMs: 20 }, [interval(fromMs, 20)], nowMs, 0)).toEqual([]);
    }
    expect(gapsIn({ fromMs: null, toMs: 20 }, [interval(1, 20)], nowMs, 0)).toEqual([
      { fromMs: null, toMs: 1 },
    ]);
  });

  test("platform-wide intervals exclude those of single accounts and of other collections", () => {
    const allAccounts = interval(0, 5);
    const otherIntervals = [
      { ...interval(0, 9), account: "did:plc:a" },
      { ...interval(0, 9), collection: "likes" as const },
    ];
    expect(platformWideIntervals([allAccounts, ...otherIntervals], "posts")).toEqual([allAccounts]);
    expect(platformWideIntervals([allAccounts, ...otherIntervals], "likes")).toEqual([
      otherIntervals[1],
    ]);
  });

  test("slack applies only at the present and to the newest stream interval", () => {
    expect(gapsIn({ fromMs: 10, toMs: 100 }, [interval(0, 99)], nowMs, 5)).toEqual([
      { fromMs: 99, toMs: 100 },
    ]);
    const toNow = { fromMs: 10, toMs: nowMs };
    expect(gapsIn(toNow, [interval(0, nowMs - 1, "import")], nowMs, 5)).toEqual([
      { fromMs: nowMs - 1, toMs: nowMs },
    ]);
    const outage = [interval(0, nowMs - 4), interval(nowMs - 2, nowMs - 1)];
    expect(gapsIn(toNow, outage, nowMs, 5)).toEqual([{ fromMs: nowMs - 4, toMs: nowMs - 2 }]);
  });
});

test("overlapping and adjacent spans are merged", () => {
  expect(
    unionSpans([
      { fromMs: 5, toMs: 10 },
      { fromMs: null, toMs: 3 },
      { fromMs: 8, toMs: 12 },
      { fromMs: 12, toMs: 13 },
    ]),
  ).toEqual([
    { fromMs: null, toMs: 3 },
    { fromMs: 5, toMs: 13 },
  ]);
});

const moments = Array.from({ length: 30 }, (_, ms) => ms);
const someSpans = fc
  .uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 12 })
  .map((bounds) => {
    const sorted = bounds.sort((a, b) => a - b);
    const spans: Span[] = [];
    for (let index = 0; index + 1 < sorted.length; index += 2) {
      spans.push({ fromMs: sorted[index] ?? 0, toMs: sorted[index + 1] ?? 0 });
    }
    const [first, ...rest] = spans;
    return first?.fromMs === 0 ? [{ ...first, fromMs: null }, ...rest] : spans;
  });
const isIn = (ms: number, spans: readonly Span[]) =>
  spans.some(({ fromMs, toMs }) => (fromMs ?? Number.NEGATIVE_INFINITY) <= ms && ms < toMs);

test("the intersection of two lists of spans contains exactly the moments in both", () => {
  fc.assert(
    fc.property(someSpans, someSpans, (a, b) => {
      const intersection = intersectSpans(a, b);
      for (const ms of moments) expect(isIn(ms, intersection)).toBe(isIn(ms, a) && isIn(ms, b));
      expect(unionSpans(intersection).length).toBeLessThanOrEqual(intersection.length);
    }),
  );
});

test("the covered spans of a window contain exactly its moments outside all gaps", () => {
  fc.assert(
    fc.property(someSpans, (gaps) => {
      const coveredSpans = subtractSpans({ fromMs: null, toMs: 30 }, gaps);
      for (const ms of moments) expect(isIn(ms, coveredSpans)).toBe(!isIn(ms, gaps));
    }),
  );
});

test("the gaps of a window are exactly its moments that no interval covers", () => {
  const window = { fromMs: 3, toMs: 27 };
  fc.assert(
    fc.property(someSpans, someSpans, (a, b) => {
      const intervals = [...a, ...b].map(({ fromMs, toMs }) => interval(fromMs ?? 0, toMs));
      const gaps = gapsIn(window, intervals, nowMs, 0);
      for (const ms of moments) {
        const isInside = ms >= 3 && ms < 27;
        expect(isIn(ms, gaps)).toBe(isInside && !isIn(ms, [...a, ...b]));
      }
    }),
  );
});

test("gaps beyond the maximum number are joined without losing any", () => {
  fc.assert(
    fc.property(someSpans, fc.integer({ min: 1, max: 5 }), (gaps, count) => {
      const joinedGaps = joinOldest(gaps, count);
      expect(joinedGaps.length).toBe(Math.min(gaps.length, count));
      for (const ms of moments) if (isIn(ms, gaps)) expect(isIn(ms, joinedGaps)).toBe(true);
      expect(joinedGaps.slice(1)).toEqual(gaps.slice(gaps.length - joinedGaps.length + 1));
    }),
  );
});
