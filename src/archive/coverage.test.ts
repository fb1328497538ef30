import { describe, expect, test } from "vitest";
import { gapsIn, unionOf } from "./coverage.ts";

const interval = (fromMs: number, toMs: number) => ({
  platform: "bluesky" as const,
  source: "jetstream",
  fromMs,
  toMs,
});

describe("the gaps of a window", () => {
  test("are the whole of it where nothing is held", () => {
    expect(gapsIn({ fromMs: 10, toMs: 20 }, [], 0)).toEqual([{ fromMs: 10, toMs: 20 }]);
    expect(gapsIn({ fromMs: null, toMs: 20 }, [], 0)).toEqual([{ fromMs: null, toMs: 20 }]);
  });

  test("are none where one interval, or several that touch or overlap, hold it", () => {
    expect(gapsIn({ fromMs: 10, toMs: 20 }, [interval(5, 25)], 0)).toEqual([]);
    const pieces = [interval(15, 30), interval(5, 12), interval(12, 16)];
    expect(gapsIn({ fromMs: 10, toMs: 20 }, pieces, 0)).toEqual([]);
  });

  test("stand before, between and after the intervals", () => {
    expect(gapsIn({ fromMs: 0, toMs: 100 }, [interval(10, 20), interval(40, 60)], 0)).toEqual([
      { fromMs: 0, toMs: 10 },
      { fromMs: 20, toMs: 40 },
      { fromMs: 60, toMs: 100 },
    ]);
  });

  test("of an unbounded window begin without a start", () => {
    expect(gapsIn({ fromMs: null, toMs: 100 }, [interval(10, 100)], 0)).toEqual([
      { fromMs: null, toMs: 10 },
    ]);
  });

  test("ignore what lies outside the window", () => {
    expect(gapsIn({ fromMs: 50, toMs: 60 }, [interval(0, 40), interval(70, 80)], 0)).toEqual([
      { fromMs: 50, toMs: 60 },
    ]);
  });

  test("forgive a live stream that is behind by the slack, not by more", () => {
    expect(gapsIn({ fromMs: 10, toMs: 100 }, [interval(0, 95)], 5)).toEqual([]);
    expect(gapsIn({ fromMs: 10, toMs: 100 }, [interval(0, 94)], 5)).toEqual([
      { fromMs: 94, toMs: 100 },
    ]);
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
