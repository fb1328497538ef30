import { expect, test } from "vitest";
import { createKnownNodes } from "./known-nodes.ts";
import type { NodeRecord } from "./node-store.ts";

const record: NodeRecord = {
  id: "one",
  identityKey: "",
  name: "one",
  state: "approved",
  evidence: "none",
  capabilities: [],
  concurrency: 1,
  url: null,
  version: "1",
  createdMs: 0,
  seenMs: 0,
  attestedMs: 0,
  attestationId: "",
  quarantinedUntilMs: null,
  quarantineReason: null,
  quarantines: 0,
  jobsDone: 0,
  jobsFailed: 0,
  machine: null,
  image: null,
  composeHash: null,
  isListed: false,
};

test("a look at the store brings what an operator changed, and what is gone", () => {
  const known = createKnownNodes();
  known.put(record);
  known.put({ ...record, id: "two" });
  const drained = { ...record, state: "draining" } as const;
  const changes = known.endLook(known.beginLook(), [drained]);
  expect(changes.map(({ before, after }) => [before.id, after?.state])).toEqual([
    ["one", "draining"],
    ["two", undefined],
  ]);
  expect([...known.all()].map(({ id }) => id)).toEqual(["one"]);
  expect(known.endLook(known.beginLook(), [drained])).toEqual([]);
});

test("a look that began before a node was put says nothing of it", () => {
  const known = createKnownNodes();
  known.put(record);
  const look = known.beginLook();
  known.put({ ...record, quarantinedUntilMs: 10 });
  known.put({ ...record, id: "two" });
  expect(known.endLook(look, [record])).toEqual([]);
  expect(known.get("one")?.quarantinedUntilMs).toBe(10);
  expect(known.get("two")).toBeDefined();
});

test("what nodes did is given once, and again where it could not be written", () => {
  const known = createKnownNodes();
  known.put(record);
  known.noteEnd("one", "done");
  known.noteEnd("one", "failed");
  known.noteSeen("one", 5);
  known.noteEnd("nobody", "done");
  const uses = known.takeUses();
  expect(uses).toEqual([{ id: "one", done: 1, failed: 1, seenMs: 5 }]);
  expect(known.takeUses()).toEqual([]);
  known.noteEnd("one", "done");
  known.restoreUses(uses);
  expect(known.takeUses()).toEqual([{ id: "one", done: 2, failed: 1, seenMs: 5 }]);
  expect(known.get("one")).toMatchObject({ jobsDone: 2, jobsFailed: 1, seenMs: 5 });
});

test("a quarantine that is not written yet outlasts a look, and what an operator changed comes all the same", () => {
  const known = createKnownNodes();
  known.put({ ...record, quarantinedUntilMs: 5, quarantineReason: "faults", quarantines: 1 });
  known.keepQuarantine("one");
  known.endLook(known.beginLook(), [{ ...record, state: "draining" }]);
  expect(known.get("one")).toMatchObject({ state: "draining", quarantinedUntilMs: 5 });
  const look = known.beginLook();
  known.quarantineWritten("one");
  known.endLook(look, [record]);
  expect(known.get("one")).toMatchObject({ quarantinedUntilMs: 5 });
  known.endLook(known.beginLook(), [record]);
  expect(known.get("one")).toMatchObject({ state: "approved", quarantinedUntilMs: null });
});
