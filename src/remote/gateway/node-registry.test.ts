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

async function makeRegistry(storedRecords: NodeRecord[], write = async (_name: string) => {}) {
  const store = { read: async () => [...storedRecords], write } as unknown as Store<NodeOperations>;
  const registry = createNodeRegistry(store);
  await registry.refresh();
  return registry;
}

test("a refresh of the registry returns the nodes whose state an operator changed, and deleted ones", async () => {
  const storedRecords = [record, { ...record, id: "two" }];
  const registry = await makeRegistry(storedRecords);
  storedRecords.splice(0, 2, { ...record, state: "draining" });
  expect((await registry.refresh()).map(({ id }) => id)).toEqual(["one", "two"]);
  expect([...registry.all()].map(({ id, state }) => [id, state])).toEqual([["one", "draining"]]);
  expect(await registry.refresh()).toEqual([]);
});

test("a refresh of the registry that overlaps a write changes nothing", async () => {
  const registry = await makeRegistry([record]);
  const writeGate = Promise.withResolvers<void>();
  const change = registry.change(async () => {
    await writeGate.promise;
    registry.put({ ...record, state: "draining" });
  });
  await registry.refresh();
  const overlappingRefresh = registry.refresh();
  writeGate.resolve();
  await Promise.all([change, overlappingRefresh]);
  expect(registry.get("one")).toMatchObject({ state: "draining" });
});

test("a node's counts apply immediately, and are not added again after they are written", async () => {
  const storedRecords = [record];
  const registry = await makeRegistry(storedRecords);
  registry.recordUse("one", { done: 1 });
  registry.recordUse("one", { failed: 1 });
  registry.recordUse("one", { seenMs: 5 });
  registry.recordUse("unknown", { done: 1 });
  await registry.refresh();
  expect(registry.get("one")).toMatchObject({ jobsDone: 1, jobsFailed: 1, seenMs: 5 });
  await registry.writeUses();
  storedRecords[0] = { ...record, jobsDone: 1, jobsFailed: 1, seenMs: 5 };
  await registry.refresh();
  expect(registry.get("one")).toMatchObject({ jobsDone: 1, jobsFailed: 1, seenMs: 5 });
});

test("a quarantine survives refreshes until it is written, and an operator's changes still apply", async () => {
  const storedRecords = [record];
  const registry = await makeRegistry(storedRecords);
  registry.quarantine({ id: "one", untilMs: 5, reason: "errors", nowMs: 0 });
  storedRecords[0] = { ...record, state: "draining" };
  await registry.refresh();
  expect(registry.get("one")).toMatchObject({
    state: "draining",
    quarantinedUntilMs: 5,
    quarantines: 1,
  });
  await registry.writeQuarantines();
  await registry.refresh();
  expect(registry.get("one")).toMatchObject({ quarantinedUntilMs: null, quarantines: 0 });
});
