import { expect, test } from "vitest";
import type { Store } from "../../db/operations.ts";
import { createNodeRegistry } from "./node-directory.ts";
import type { NodeRecord } from "./node-record.ts";
import type { NodeOperations } from "./node-store.ts";

const record: NodeRecord = {
  id: "one",
  identityKey: "",
  name: "one",
  state: "approved",
  evidence: "none",
  capabilities: [],
  concurrency: 1,
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

async function knownNodes(stored: NodeRecord[], write = async (_name: string) => {}) {
  const store = { read: async () => [...stored], write } as unknown as Store<NodeOperations>;
  const known = createNodeRegistry(store);
  await known.refresh();
  return known;
}

test("a refresh of the registry returns the nodes whose state an operator changed, and deleted ones", async () => {
  const stored = [record, { ...record, id: "two" }];
  const known = await knownNodes(stored);
  stored.splice(0, 2, { ...record, state: "draining" });
  expect((await known.refresh()).map(({ id }) => id)).toEqual(["one", "two"]);
  expect([...known.all()].map(({ id, state }) => [id, state])).toEqual([["one", "draining"]]);
  expect(await known.refresh()).toEqual([]);
});

test("a refresh of the registry that overlaps a write changes nothing", async () => {
  const known = await knownNodes([record]);
  const writing = Promise.withResolvers<void>();
  const change = known.change(async () => {
    await writing.promise;
    known.put({ ...record, state: "draining" });
  });
  await known.refresh();
  const overlapping = known.refresh();
  writing.resolve();
  await Promise.all([change, overlapping]);
  expect(known.get("one")).toMatchObject({ state: "draining" });
});

test("a node's counts apply immediately, and are not added again after they are written", async () => {
  const stored = [record];
  const known = await knownNodes(stored);
  known.recordUse("one", { done: 1 });
  known.recordUse("one", { failed: 1 });
  known.recordUse("one", { seenMs: 5 });
  known.recordUse("unknown", { done: 1 });
  await known.refresh();
  expect(known.get("one")).toMatchObject({ jobsDone: 1, jobsFailed: 1, seenMs: 5 });
  await known.writeUses();
  stored[0] = { ...record, jobsDone: 1, jobsFailed: 1, seenMs: 5 };
  await known.refresh();
  expect(known.get("one")).toMatchObject({ jobsDone: 1, jobsFailed: 1, seenMs: 5 });
});

test("a quarantine survives refreshes until it is written, and an operator's changes still apply", async () => {
  const stored = [record];
  const known = await knownNodes(stored);
  known.quarantine({ id: "one", untilMs: 5, reason: "errors", nowMs: 0 });
  stored[0] = { ...record, state: "draining" };
  await known.refresh();
  expect(known.get("one")).toMatchObject({
    state: "draining",
    quarantinedUntilMs: 5,
    quarantines: 1,
  });
  await known.writeQuarantines();
  await known.refresh();
  expect(known.get("one")).toMatchObject({ quarantinedUntilMs: null, quarantines: 0 });
});
