import { expect, test } from "vitest";
import { hostileTexts } from "../../testkit/data/hostile-text.ts";
import {
  constructedExpressions,
  type LocatedExpression,
  literalExpressions,
} from "../../testkit/data/regular-expressions.ts";

const root = `${import.meta.dirname}/../..`;
/** Exponential growth is detected at the shortest length, and ends the test. */
const lengths = [16, 22, 28, 64, 512, 2_048, 8_192];
const alwaysFast = 64;
/** Slower expressions are measured again with eight times the text. */
const suspiciousMs = 2;
/** Linear work grows eightfold, quadratic 64-fold. */
const maxGrowth = 20;

/** Callers bound the input of these expressions. */
const bounded: readonly { file: string; beginsWith: string; characters: number }[] = [
  { file: "packages/query/src/text/links.ts", beginsWith: "xn--", characters: 253 },
  { file: "packages/query/src/text/links.ts", beginsWith: "[.-]+$", characters: 253 },
  {
    file: "packages/query/src/operators/hint-for-date.ts",
    beginsWith: "[\\s_-]*ago$",
    characters: 64,
  },
];

function lengthsFor({ location, source }: LocatedExpression): number[] {
  const bound = bounded.find(
    ({ file, beginsWith }) => location.startsWith(file) && source.startsWith(beginsWith),
  );
  return bound === undefined ? lengths : [16, 64, bound.characters];
}

function milliseconds(expression: RegExp, text: string): number {
  expression.lastIndex = 0;
  const start = performance.now();
  // An expression that is not global stops at its first match.
  if (expression.global) text.replaceAll(expression, "");
  else expression.exec(text);
  return performance.now() - start;
}

function minMs(expression: RegExp, text: string): number {
  return Math.min(...Array.from({ length: 4 }, () => milliseconds(expression, text)));
}

/** Growth when the worst text becomes eight times as long. */
function growthFor(written: LocatedExpression): number {
  const { source, flags } = written;
  const expression = new RegExp(source, flags);
  for (const length of lengthsFor(written)) {
    const long = hostileTexts(source, length * 8)[Symbol.iterator]();
    for (const text of hostileTexts(source, length)) {
      const longer = () => long.next().value ?? "";
      if (milliseconds(expression, text) < suspiciousMs) {
        long.next();
        continue;
      }
      const ms = minMs(expression, text);
      const eightfold = longer();
      if (ms < suspiciousMs) continue;
      if (length <= alwaysFast) return Number.POSITIVE_INFINITY;
      const growth = minMs(expression, eightfold) / ms;
      if (growth > maxGrowth) return growth;
    }
  }
  return 1;
}

test("no regular expression takes more than linear time on hostile text", async () => {
  const written = literalExpressions(root);
  const constructed = await constructedExpressions(root);
  expect(written.length).toBeGreaterThan(250);
  expect(constructed.length).toBeGreaterThan(20);
  const slow = [...written, ...constructed].flatMap((expression) => {
    const growth = growthFor(expression);
    return growth > 1 ? [`${expression.location} /${expression.source}/ ${growth}`] : [];
  });
  console.log(`${written.length} literal, ${constructed.length} constructed, ${slow.length} slow`);
  expect(slow).toEqual([]);
});
