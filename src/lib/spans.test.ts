import fc from "fast-check";
import { expect, test } from "vitest";
import { type BoundedSpan, includesTime, spanHull, subtractSpans, unionSpans } from "./spans.ts";

const makeSpan = (fromMs: number, toMs: number): BoundedSpan => ({ fromMs, toMs });

test("the parts of a window outside spans, and their hull, are the same for any order of the spans", () => {
  const stored = [makeSpan(50, 60), makeSpan(0, 10), makeSpan(20, 30), makeSpan(25, 40)];
  expect(subtractSpans(makeSpan(5, 70), stored)).toEqual([
    makeSpan(10, 20),
    makeSpan(40, 50),
    makeSpan(60, 70),
  ]);
  expect(subtractSpans(makeSpan(22, 38), stored)).toEqual([]);
  expect(subtractSpans(makeSpan(5, 70), [])).toEqual([makeSpan(5, 70)]);
  expect(spanHull(stored)).toEqual(makeSpan(0, 60));
  expect(spanHull([])).toBeNull();
});

test("each moment of a window is either in a span or outside all spans", () => {
  const time = fc.integer({ min: 0, max: 30 });
  const span = fc
    .tuple(time, time)
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => makeSpan(Math.min(a, b), Math.max(a, b)));
  fc.assert(
    fc.property(span, fc.array(span, { maxLength: 6 }), (requested, stored) => {
      const missing = subtractSpans(requested, stored);
      const union = unionSpans(stored);
      for (let ms = requested.fromMs; ms < requested.toMs; ms += 1) {
        expect(includesTime(missing, ms)).toBe(!includesTime(stored, ms));
        expect(includesTime(union, ms)).toBe(includesTime(stored, ms));
      }
      for (const gap of missing)
        expect(gap.fromMs >= requested.fromMs && gap.toMs <= requested.toMs).toBe(true);
    }),
  );
});
