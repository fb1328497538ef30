import { expect, test } from "vitest";
import type { NodeRecord } from "../../remote/gateway/node-record.ts";
import { nodesResponse } from "../routes/dashboard/operator-nodes.ts";
import { makeNodeView } from "./node-view.test-support.ts";

const nowMs = Date.UTC(2026, 10, 22, 12);
const {
  keyId: _key,
  isConnected: _is,
  running: _running,
  connectedMs: _since,
  ...view
} = makeNodeView();

const makeRecord = (overrides: Partial<NodeRecord> = {}): NodeRecord => ({
  ...view,
  identityKey: "key",
  state: "approved",
  createdMs: nowMs - 1,
  seenMs: nowMs - 1,
  attestedMs: nowMs - 1,
  attestationId: "attestation",
  quarantines: 0,
  machine: null,
  image: "dstack-0.5",
  composeHash: null,
  isListed: true,
  ...overrides,
});

const survey = { nodes: [makeRecord()], events: [] };

test("a node seen since the start is listed with its live values and its stored state", () => {
  const { nodes } = nodesResponse(
    { ...survey, nodes: [makeRecord({ state: "draining" })] },
    [makeNodeView({ running: 2 })],
    nowMs,
  );
  expect(nodes).toMatchObject([
    { state: "draining", is_connected: true, running: 2, image: "dstack-0.5", is_listed: true },
  ]);
});

test("a node known from an earlier run is listed as disconnected", () => {
  const { nodes } = nodesResponse(survey, [], nowMs);
  expect(nodes).toMatchObject([{ name: "ams-1", is_connected: false, running: 0 }]);
});

test("a quarantine is reported until it ends", () => {
  const quarantinedNode = makeRecord({
    quarantinedUntilMs: nowMs + 1,
    quarantineReason: "wrong answers",
  });
  const stateAt = (ms: number) =>
    nodesResponse({ ...survey, nodes: [quarantinedNode] }, [makeNodeView()], ms).nodes[0]?.state;
  expect([stateAt(nowMs), stateAt(nowMs + 1)]).toEqual(["quarantined", "approved"]);
});

test("a removed node is no longer listed, but is still named in events", () => {
  const { nodes, events } = nodesResponse(
    {
      nodes: [makeRecord({ state: "removed" })],
      events: [
        { atMs: nowMs, nodeId: view.id, action: "removed", detail: "was approved" },
        { atMs: nowMs, nodeId: null, action: "refused", detail: "challenge_unknown" },
      ],
    },
    [],
    nowMs,
  );
  expect(nodes).toEqual([]);
  expect(events.map(({ node, action }) => [node, action])).toEqual([
    ["ams-1", "removed"],
    [null, "refused"],
  ]);
});
