import { expect, test } from "vitest";
import { allowedNodeChanges } from "./node-changes.ts";

test.each([
  ["pending", ["Approve", "Remove"]],
  ["approved", ["Drain", "Remove"]],
  ["draining", ["Resume", "Remove"]],
  ["quarantined", ["End quarantine", "Drain", "Remove"]],
] as const)("the actions for a node that is %s are listed", (state, texts) => {
  expect(allowedNodeChanges({ state }).map(({ text }) => text)).toEqual(texts);
});
