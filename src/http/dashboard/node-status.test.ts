import { describe, expect, test } from "vitest";
import { evidenceKinds } from "../../jobs/result-signature.ts";
import type { NodeView } from "../../remote/gateway/gateway.ts";
import { embeddedStatus, insecureEvidence, nodeStatus } from "./node-status.ts";
import { makeNodeView } from "./node-view.test-support.ts";

const gatewayWith = (evidence: readonly NodeView["evidence"][], ...nodes: NodeView[]) => ({
  policy: () => ({ id: "", audience: "earshot", gateway_key: "", evidence, quotes: null }),
  nodes: () => nodes,
});

describe("a remote node", () => {
  test("the status of a remote node has its platforms, load and connection time", () => {
    expect(nodeStatus(makeNodeView())).toMatchObject({
      id: "5d1f0c2ab37e9946",
      name: "ams-1",
      state: "approved",
      is_connected: true,
      platforms: ["bluesky", "x"],
      running: 1,
      concurrency: 4,
      connected_at: "2026-11-22T09:00:00.000Z",
      attested_at: "2026-11-22T11:56:00.000Z",
      quarantine: null,
      jobs: 812,
      jobs_failed: 3,
    });
  });

  test("the status of a disconnected remote node has no connection time", () => {
    const disconnectedStatus = nodeStatus(makeNodeView({ isConnected: false }));
    expect(disconnectedStatus).toMatchObject({ is_connected: false, connected_at: null });
  });

  test("the status of a remote node has the reason and end of its quarantine, or null without one", () => {
    const quarantine = {
      quarantinedUntilMs: Date.UTC(2026, 10, 22, 12, 5),
      quarantineReason: "wrong answers",
    };
    expect(nodeStatus(makeNodeView({ ...quarantine, state: "quarantined" })).quarantine).toEqual({
      reason: "wrong answers",
      until: "2026-11-22T12:05:00.000Z",
    });
    expect(nodeStatus(makeNodeView(quarantine)).quarantine).toBeNull();
  });

  test.each(evidenceKinds)(
    "the status of a remote node with evidence %s states what that proves and what it does not",
    (evidence) => {
      const { proves, does_not_prove: doesNotProve } = nodeStatus(makeNodeView({ evidence }));
      for (const sentence of [proves, doesNotProve]) expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(/Intel TDX/.test(proves)).toBe(evidence === "tdx");
      expect(/which machine/.test(doesNotProve)).toBe(evidence !== "tdx");
    },
  );
});

describe("the embedded node", () => {
  const embeddedNode = { running: 1, concurrency: 4, jobs: 12 };

  test("the status of the embedded node states that it proves nothing", () => {
    expect(embeddedStatus({ ...embeddedNode, mode: "on" }, ["bluesky"])).toMatchObject([
      {
        id: "embedded",
        evidence: "none",
        is_spare: false,
        platforms: ["bluesky"],
        proves: "Nothing: trust it as you trust this server.",
      },
    ]);
  });

  test("the embedded node is marked as spare if configured as spare, and absent if off", () => {
    expect(embeddedStatus({ ...embeddedNode, mode: "spare" }, [])[0]?.is_spare).toBe(true);
    expect(embeddedStatus({ ...embeddedNode, mode: "off" }, [])).toEqual([]);
  });
});

describe("insecure evidence", () => {
  test("insecure evidence is empty if the policy accepts only TDX", () => {
    expect(insecureEvidence(gatewayWith(["tdx"], makeNodeView({ evidence: "tdx" })))).toEqual([]);
  });

  test("insecure evidence includes what the policy accepts, even without such a node", () => {
    expect(insecureEvidence(gatewayWith(["tdx", "simulated"]))).toEqual(["simulated"]);
    expect(insecureEvidence(gatewayWith(["none", "simulated"]))).toEqual(["simulated", "none"]);
  });

  test("insecure evidence includes that of connected nodes, but not that of disconnected ones", () => {
    const node = makeNodeView({ evidence: "none" });
    expect(insecureEvidence(gatewayWith(["tdx"], node))).toEqual(["none"]);
    expect(insecureEvidence(gatewayWith(["tdx"], { ...node, isConnected: false }))).toEqual([]);
  });
});
