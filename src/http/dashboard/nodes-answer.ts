import type { NodeSurvey } from "../../accounts/admin/node-operations.ts";
import type { NodeView } from "../../remote/gateway/gateway.ts";
import type { NodeRecord } from "../../remote/gateway/node-record.ts";
import { iso } from "../submission/window.ts";
import type { NodeListing, NodesResponse } from "./contract/operator.ts";
import { nodeStatus } from "./node-status.ts";

/** The store has every change; the gateway adds live state. */
export function nodesResponse(
  { nodes, events }: NodeSurvey,
  views: readonly NodeView[],
  nowMs: number,
): NodesResponse {
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const findName = (id: string) => names.get(id) ?? id;
  const viewsById = new Map(views.map((view) => [view.id, view]));
  return {
    nodes: nodes
      .filter(({ state }) => state !== "removed")
      .map((node) => nodeListing(node, viewsById.get(node.id), nowMs)),
    events: events.map(({ atMs, nodeId, action, detail }) => ({
      at: iso(atMs),
      node: nodeId === null ? null : findName(nodeId),
      action,
      detail,
    })),
  };
}

function nodeListing(node: NodeRecord, view: NodeView | undefined, nowMs: number): NodeListing {
  const { version, image, machine, isListed } = node;
  const isQuarantined =
    node.state === "approved" &&
    node.quarantinedUntilMs !== null &&
    node.quarantinedUntilMs > nowMs;
  const state = isQuarantined ? "quarantined" : node.state;
  const live = view ?? {
    keyId: null,
    isConnected: false,
    takes: [],
    running: 0,
    connectedMs: null,
  };
  return {
    ...nodeStatus({ ...node, ...live, state }),
    version,
    image,
    machine,
    is_listed: isListed,
  };
}
