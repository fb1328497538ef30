import fc from "fast-check";
import { expect, test } from "vitest";
import { type BoundedSpan, includesTime, spanHull, subtractSpans, unionSpans } from "./spans.ts";

const makeSpan = (fromMs: number, toMs: number): BoundedSpan => ({ fromMs, toMs });

test("subtracting unsorted spans from a window leaves the parts outside them, and their hull covers all of them", () => {
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

test("subtracting spans from a window leaves exactly the moments that no span contains", () => {
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
