import { describe, expect, test } from "vitest";
import { gapsIn, unionOf } from "./coverage.ts";

const nowMs = 1_000_000;

const interval = (fromMs: number, toMs: number, source = "jetstream") => ({
  platform: "bluesky" as const,
  source,
  fromMs,
  toMs,
});

describe("the gaps of a window", () => {
  test("are the whole of it where nothing is held", () => {
    expect(gapsIn({ fromMs: 10, toMs: 20 }, [], nowMs, 0)).toEqual([{ fromMs: 10, toMs: 20 }]);
    expect(gapsIn({ fromMs: null, toMs: 20 }, [], nowMs, 0)).toEqual([{ fromMs: null, toMs: 20 }]);
  });

  test("are none where one interval, or several that touch or overlap, hold it", () => {
    expect(gapsIn({ fromMs: 10, toMs: 20 }, [interval(5, 25)], nowMs, 0)).toEqual([]);
    const pieces = [interval(15, 30), interval(5, 12), interval(12, 16)];
    expect(gapsIn({ fromMs: 10, toMs: 20 }, pieces, nowMs, 0)).toEqual([]);
  });

  test("stand before, between and after the intervals", () => {
    expect(
      gapsIn({ fromMs: 0, toMs: 100 }, [interval(10, 20), interval(40, 60)], nowMs, 0),
    ).toEqual([
      { fromMs: 0, toMs: 10 },
      { fromMs: 20, toMs: 40 },
      { fromMs: 60, toMs: 100 },
    ]);
  });

  test("of an unbounded window begin without a start", () => {
    expect(gapsIn({ fromMs: null, toMs: 100 }, [interval(10, 100)], nowMs, 0)).toEqual([
      { fromMs: null, toMs: 10 },
    ]);
  });

  test("ignore what lies outside the window", () => {
    expect(gapsIn({ fromMs: 50, toMs: 60 }, [interval(0, 40), interval(70, 80)], nowMs, 0)).toEqual(
      [{ fromMs: 50, toMs: 60 }],
    );
  });

  test("forgive a live stream that is behind by the slack where the window reaches the present", () => {
    const toNow = { fromMs: 10, toMs: nowMs };
    expect(gapsIn(toNow, [interval(0, nowMs - 5)], nowMs, 5)).toEqual([]);
    expect(gapsIn(toNow, [interval(0, nowMs - 6)], nowMs, 5)).toEqual([
      { fromMs: nowMs - 6, toMs: nowMs },
    ]);
  });

  test("forgive nothing in the past, and no import", () => {
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

test("gaps of several platforms become one list", () => {
  expect(
    unionOf([
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
