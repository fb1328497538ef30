import { expect, test } from "vitest";
import type { NodeStatusResponse } from "../../../src/http/dashboard/contract/status.ts";
import { makeNode } from "./node.test-support.ts";
import { nodeStateText } from "./node-state.ts";

const nowMs = Date.parse("2026-11-22T12:00:00.000Z");
const until = "2026-11-22T12:05:00.000Z";
const quarantine = { reason: "wrong answers", until };

test.each<[Partial<NodeStatusResponse>, string, string]>([
  [{}, "connected", "for 3 h"],
  [{ connected_at: null }, "connected", ""],
  [{ is_connected: false }, "not connected", "last seen 1 min ago"],
  [{ is_connected: false, seen_at: null }, "not connected", ""],
  [{ state: "pending" }, "pending", "gets no jobs until it is approved"],
  [{ state: "draining", is_connected: false }, "draining", "gets no new jobs"],
  [{ state: "quarantined", quarantine }, "quarantined", "wrong answers; ends in 5 min"],
  [
    { state: "quarantined", quarantine: { ...quarantine, until: null }, is_connected: false },
    "quarantined",
    "wrong answers",
  ],
])("a node with %j is shown as %s", (overrides, label, detail) => {
  expect(nodeStateText(makeNode(overrides), nowMs)).toMatchObject({ label, detail });
});
