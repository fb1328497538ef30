import { expect, test } from "vitest";
import type { JobState } from "./job.ts";
import { shownState, startsFrom, transitions } from "./states.ts";

const rows = Object.entries(transitions);

test("nothing leaves a final state, except that a result expires", () => {
  const finals: readonly JobState[] = ["done", "error", "cancelled", "expired"];
  const leaving = rows.filter(([, { from }]) => from.some((state) => finals.includes(state)));
  expect(leaving).toEqual([["expire", { from: ["done"], to: "expired" }]]);
});

test("every state that is not final can be leased or times out", () => {
  for (const [, { to }] of rows) {
    const left = rows.some(([, { from }]) => from.some((state) => state === to));
    expect([to, left]).toEqual([to, !["error", "expired"].includes(to)]);
  }
});

test("a transition's states are an SQL condition", () => {
  expect(startsFrom("lease")).toBe("state IN ('received', 'error(retrying)')");
});

test.each([
  ["received", 0, null, "received"],
  ["in progress", 0, null, "in progress"],
  ["error(retrying)", 3_000, null, "in progress"],
  ["error(retrying)", 3_001, null, "error(retrying)"],
  ["done", 0, 1, "done"],
  ["done", 0, 0, "expired"],
  ["expired", 0, 0, "expired"],
  ["error", 0, null, "error"],
] as const)(
  "%s, next try %i ms away, result until %s: shown as %s",
  (state, notBeforeMs, expiresMs, shown) => {
    expect(shownState({ state, notBeforeMs, expiresMs }, 0)).toBe(shown);
  },
);
