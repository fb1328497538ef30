import { expect, test } from "vitest";
import { type JobState, jobStates } from "./job.ts";
import { shownState, sourceStatesSql, transitions } from "./states.ts";

const finals: readonly JobState[] = ["done", "error", "cancelled", "expired"];
const rows = Object.entries(transitions);

test("final states of a job do not change, except that a result expires", () => {
  const leaving = rows.filter(([, { from }]) => from.some((state) => finals.includes(state)));
  expect(leaving).toEqual([
    ["expire", { from: ["done"], to: "expired" }],
    ["forget", { from: finals, to: null }],
  ]);
});

test("only jobs in a final state can be deleted, and jobs in every state that is not final can be cancelled or timed out", () => {
  for (const state of jobStates) {
    const leaving = rows.filter(([, { from }]) => from.some((one) => one === state));
    const names = leaving.map(([name]) => name);
    const isFinal = finals.includes(state);
    expect([state, names.includes("forget")]).toEqual([state, isFinal]);
    expect([state, names.includes("cancel")]).toEqual([state, !isFinal]);
    expect([state, names.includes("timeOut")]).toEqual([state, !isFinal]);
  }
});

test("sourceStatesSql is a condition on the source states of a transition", () => {
  expect(sourceStatesSql("lease")).toBe("state IN ('received', 'error(retrying)')");
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
  "a job in state %s whose next attempt is in %i ms and whose result expires at %s is shown as %s",
  (state, notBeforeMs, expiresMs, shown) => {
    expect(shownState({ state, notBeforeMs, expiresMs }, 0)).toBe(shown);
  },
);
