import { describe, expect, test } from "vitest";
import { clipTrace, drawTrace, rebin, type TraceData, uncoveredSpans } from "./trace-drawing.ts";

const window = { fromMs: 0, toMs: 1_000 };
const fullTrace: TraceData = { window, received: null, held: [window], gaps: [] };

const listBars = (path: string): { x: number; length: number }[] =>
  [...path.matchAll(/M([\d.]+) [\d.]+v([\d.]+)/g)].map(([, x, length]) => ({
    x: Number(x),
    length: Number(length),
  }));

describe("a trace", () => {
  test("a trace has about one bar every six pixels, but no more bars than values", () => {
    const received = Array.from({ length: 144 }, () => 1);
    expect(listBars(drawTrace({ ...fullTrace, received }, 326).bars)).toHaveLength(54);
    expect(listBars(drawTrace({ ...fullTrace, received }, 1_100).bars)).toHaveLength(144);
  });

  test("a trace scales bars by posts, and a spike does not flatten the rest", () => {
    const received = Array.from({ length: 50 }, (_, index) =>
      index === 7 ? 10_000 : index % 2 === 0 ? 10 : 5,
    );
    const lengths = listBars(drawTrace({ ...fullTrace, received }, 300).bars).map(
      ({ length }) => length,
    );
    expect([lengths[0], lengths[1], lengths[7]]).toEqual([42, 21, 42]);
  });

  test("a trace has bars of equal height when posts are not counted", () => {
    const lengths = listBars(drawTrace(fullTrace, 300).bars).map(({ length }) => length);
    expect(new Set(lengths).size).toBe(1);
  });

  test("a trace has a short bar for a covered time without posts", () => {
    const lengths = listBars(drawTrace({ ...fullTrace, received: [0, 8] }, 300).bars);
    expect(lengths.map(({ length }) => length)).toEqual([2, 42]);
  });

  test("a trace has no bars in a gap, and shows even a short gap", () => {
    const parts = {
      ...fullTrace,
      held: [{ fromMs: 0, toMs: 500 }],
      gaps: [{ fromMs: 500, toMs: 501 }],
    };
    const { bars, gaps, uncoveredLines } = drawTrace(parts, 300);
    expect(listBars(bars).every(({ x }) => x < 150)).toBe(true);
    expect(gaps).toEqual([{ x: 150, width: 3 }]);
    expect(uncoveredLines).toBe("M150.3 24H300");
  });

  test("a trace draws an open gap inside its bounds", () => {
    const { gaps } = drawTrace(
      { ...fullTrace, held: [], gaps: [{ fromMs: 999, toMs: 1_000 }] },
      300,
    );
    expect(gaps).toEqual([{ x: 297, width: 3 }]);
  });

  test("a trace draws posts from uncovered times separately", () => {
    const { bars, uncoveredBars } = drawTrace(
      { ...fullTrace, held: [], received: [3, 0, 0, 0] },
      300,
    );
    expect([bars, listBars(uncoveredBars).length]).toEqual(["", 1]);
  });
});

test("posts are redistributed to other time steps without losing any", () => {
  expect(rebin([1, 2, 3, 4], 2)).toEqual([3, 7]);
  expect(rebin([3, 3, 3], 2)).toEqual([4.5, 4.5]);
});

test("a selected part of the window is shown with its posts and the spans that overlap it", () => {
  const part = { fromMs: 250, toMs: 750 };
  const gaps = [
    { fromMs: 0, toMs: 250 },
    { fromMs: 700, toMs: 800 },
  ];
  expect(clipTrace({ ...fullTrace, received: [1, 2, 4, 8], gaps }, part)).toEqual({
    ...{ window: part, received: [2, 4], held: [window] },
    gaps: gaps.slice(1),
  });
  const shortSelection = { fromMs: 500, toMs: 625 };
  expect(clipTrace({ ...fullTrace, received: [1, 2, 4, 8] }, shortSelection).received).toEqual([2]);
});

test("the parts of the window that no span covers are returned", () => {
  expect(
    uncoveredSpans(window, [
      { fromMs: 200, toMs: 300 },
      { fromMs: 250, toMs: 400 },
    ]),
  ).toEqual([
    { fromMs: 0, toMs: 200 },
    { fromMs: 400, toMs: 1_000 },
  ]);
  expect(uncoveredSpans(window, [window])).toEqual([]);
});
