import { expect, test } from "vitest";
import type { Coverage } from "../../platforms/source.ts";
import { withUnsearchedSpan } from "./damage.ts";

const coverage: Coverage = {
  fromMs: 100,
  toMs: 200,
  complete: true,
  gaps: [],
  truncated: false,
  platforms: [
    {
      platform: "bluesky",
      collection: "posts",
      complete: true,
      held: [{ fromMs: 100, toMs: 200 }],
      gaps: [],
      truncated: false,
    },
    {
      platform: "bluesky",
      collection: "likes",
      complete: true,
      held: [{ fromMs: 100, toMs: 200 }],
      gaps: [],
      truncated: false,
    },
  ],
};

test("an answer is unchanged if the whole time was searched", () => {
  const answer = { complete: true, coverage };
  expect(withUnsearchedSpan(answer, null)).toBe(answer);
});

test("a part that was not searched is a gap in the whole answer and on each platform", () => {
  const gap = { fromMs: 40, toMs: 100 };
  const answer = withUnsearchedSpan({ complete: true, coverage }, gap);
  expect(answer.complete).toBe(false);
  expect(answer.coverage).toMatchObject({ fromMs: 40, toMs: 200, complete: false, gaps: [gap] });
  expect(answer.coverage.platforms?.[0]).toMatchObject({
    complete: false,
    gaps: [gap],
    held: [{ fromMs: 100, toMs: 200 }],
  });
  expect(answer.coverage.platforms?.[1]).toBe(coverage.platforms?.[1]);
});

test("the whole requested time is a gap if nothing was searched", () => {
  const gap = { fromMs: null, toMs: 60 };
  const emptyCoverage = { ...coverage, toMs: 100, platforms: [] };
  expect(withUnsearchedSpan({ complete: true, coverage: emptyCoverage }, gap).coverage).toEqual({
    ...emptyCoverage,
    ...gap,
    complete: false,
    gaps: [gap],
  });
});
