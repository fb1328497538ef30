import { expect, test } from "vitest";
import { budgetText, dollars, isNearlySpent, spentText } from "./spending-text.ts";

const makeSpending = (reads: number, max: number) => ({ post_reads: reads, most_post_reads: max });

test("a budget is shown in figures and as a percentage", () => {
  expect(budgetText(makeSpending(1_234, 10_000))).toBe("1,234 of 10,000 posts read (12 %)");
  expect(budgetText(makeSpending(0, 0))).toBe("0 of 0 posts read (0 %)");
});

test("a budget is shown as nearly spent from 90 %", () => {
  expect(isNearlySpent(makeSpending(89, 100))).toBe(false);
  expect(isNearlySpent(makeSpending(90, 100))).toBe(true);
  expect(isNearlySpent(makeSpending(0, 0))).toBe(true);
});

test("amounts below a cent are not rounded to zero", () => {
  expect(dollars(0)).toBe("$0.00");
  expect(dollars(0.005)).toBe("less than $0.01");
  expect(dollars(1234.5)).toBe("$1,234.50");
});

test("the text about spending names dollars, posts and profiles", () => {
  expect(spentText({ usd: 0.63, post_reads: 120, user_reads: 1 })).toBe(
    "$0.63 for 120 posts and 1 profile",
  );
});
