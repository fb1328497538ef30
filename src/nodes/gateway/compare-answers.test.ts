import { expect, test } from "vitest";
import type { Coverage, SourceAnswer } from "../../platforms/source.ts";
import { compareAnswers, outlineOf } from "./compare-answers.ts";
import { comet } from "./fake-queue.test-support.ts";
import { answerWith, postAt } from "./gateway.test-support.ts";

const [eight, seven, six, five] = [postAt(8), postAt(7), postAt(6), postAt(5)];
const compared = (one: SourceAnswer, other: SourceAnswer) =>
  compareAnswers(outlineOf(one), outlineOf(other));
const outcomeOf = (one: SourceAnswer, other: SourceAnswer) => compared(one, other).outcome;

const startMs = comet.toMs - 600_000;

/** Holds the posts of X between two minutes. */
function heldBetween(fromMinute: number, toMinute: number): Coverage {
  const held = [{ fromMs: startMs + fromMinute * 60_000, toMs: startMs + toMinute * 60_000 }];
  const part = {
    platform: "x",
    collection: "posts",
    complete: false,
    gaps: [],
    truncated: false,
  } as const;
  return {
    fromMs: startMs,
    toMs: comet.toMs,
    complete: false,
    gaps: [],
    platforms: [{ ...part, held }],
  };
}

test("the same posts are the same, whatever their counts say by now", () => {
  const later = { ...seven, record: seven.record.replace("a comet", "a comet, edited") };
  expect(outcomeOf(answerWith([seven, five]), answerWith([later, five]))).toBe("same");
});

test("a post that one lacks and both hold the time of is a difference", () => {
  const { outcome, differences } = compared(answerWith([seven, six]), answerWith([seven]));
  expect(outcome).toBe("different");
  expect(differences).toMatchObject({ only_first: [`x ${six.id}`], only_second: [] });
});

test("where one of them has a gap at its time it is explained", () => {
  const lacking = answerWith([seven], { coverage: heldBetween(6.5, 10), complete: false });
  expect(outcomeOf(answerWith([seven, six]), lacking)).toBe("explained");
  expect(outcomeOf(lacking, answerWith([seven, six]))).toBe("explained");
  const holding = answerWith([seven], { coverage: heldBetween(5.5, 10), complete: false });
  expect(outcomeOf(answerWith([seven, six]), holding)).toBe("different");
});

test("an answer that goes on is compared as far as it reaches", () => {
  const next = { id: six.id ?? 0n, platform: "x" } as const;
  const cut = answerWith([eight, six], { next });
  expect(outcomeOf(cut, answerWith([eight, six, five]))).toBe("same");
  expect(outcomeOf(cut, answerWith([eight, seven, six, five]))).toBe("different");
});

test("what has no time is explained by an answer that is not complete", () => {
  const profile = { ...seven, id: null, uri: null };
  const whole = answerWith([profile]);
  expect(outcomeOf(whole, answerWith([]))).toBe("different");
  expect(outcomeOf(whole, answerWith([], { complete: false }))).toBe("explained");
});

test("of many differences a few are named", () => {
  const many = Array.from({ length: 50 }, (_, at) => postAt(9 - at / 10));
  const { differences } = compared(answerWith(many), answerWith([]));
  expect(differences.only_first).toHaveLength(20);
  expect(differences.different).toBe(50);
});
