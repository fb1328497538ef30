import { durable, read } from "../../db/operations.ts";
import type { NodeEvent } from "../../remote/gateway/node-events.ts";
import type { NodeRecord } from "../../remote/gateway/node-store.ts";
import { changeNodeState, nodeOperations } from "../../remote/gateway/operations.ts";
import { type Actor, noteAudit } from "../audit.ts";

/** What an operator does with a node; one that drains, or is quarantined, works again once it is approved. */
export const nodeChanges = ["approve", "drain", "remove"] as const;
export type NodeChange = (typeof nodeChanges)[number];

export type NodeChangeRequest = { nodeId: string; change: NodeChange; actor: Actor; nowMs: number };

const outcomes = {
  approve: { state: "approved", action: "node_approved" },
  drain: { state: "draining", action: "node_drained" },
  remove: { state: "removed", action: "node_removed" },
} as const;

/** What operators are shown of nodes: all there are, and the newest of what happened. */
export type NodeSurvey = {
  nodes: readonly NodeRecord[];
  events: readonly NodeEvent[];
};

/** Nodes as operators see them and change them, with notes in the audit log. */
export const nodeAdminOperations = {
  surveyNodes: read(
    (database, { limit }: { limit: number }): NodeSurvey => ({
      nodes: nodeOperations.nodes.run(database, null),
      events: nodeOperations.nodeEvents.run(database, { limit }),
    }),
  ),

  /** As `changeNodeState`. Errors: `node_not_found`, `node_not_approved`, `node_removed`. */
  changeNode: durable(
    (database, { nodeId, change, actor, nowMs }: NodeChangeRequest): NodeRecord => {
      const { state, action } = outcomes[change];
      const changed = changeNodeState(database, { id: nodeId, state, nowMs });
      // The id is a hash of the node's key; its name is a text that somebody chose.
      const detail = { node: nodeId };
      noteAudit(database, { atMs: nowMs, action, actor, accountId: null, detail });
      return changed;
    },
  ),
};
