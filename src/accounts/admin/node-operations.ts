import { durable, read } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import type { NodeRecord } from "../../remote/gateway/node-record.ts";
import {
  changeNodeState,
  type NodeEvent,
  nodeOperations,
} from "../../remote/gateway/node-store.ts";
import { type Actor, writeAuditEntry } from "../audit.ts";

/** Approving also resumes a drained or quarantined node. */
export const nodeChanges = ["approve", "drain", "remove"] as const;
export type NodeChange = (typeof nodeChanges)[number];

export type NodeChangeRequest = { nodeId: string; change: NodeChange; actor: Actor; nowMs: number };

const outcomes = {
  approve: { state: "approved", action: "node_approved" },
  drain: { state: "draining", action: "node_drained" },
  remove: { state: "removed", action: "node_removed" },
} as const;

export type NodeSurvey = {
  nodes: readonly NodeRecord[];
  events: readonly NodeEvent[];
};

export const nodeAdminOperations = {
  surveyNodes: read(function* (database, { limit }: { limit: number }): Steps<NodeSurvey> {
    return {
      nodes: yield* nodeOperations.nodes.run(database, null),
      events: yield* nodeOperations.nodeEvents.run(database, { limit }),
    };
  }),

  /** Errors: `node_not_found`, `node_not_approved`, `node_removed`. */
  changeNode: durable(function* (
    database,
    { nodeId, change, actor, nowMs }: NodeChangeRequest,
  ): Steps<NodeRecord> {
    const { state, action } = outcomes[change];
    const changedNode = yield* changeNodeState(database, { id: nodeId, state, nowMs });
    // A node's name is free text, so the audit log omits it.
    const detail = { node: nodeId };
    yield* writeAuditEntry(database, { atMs: nowMs, action, actor, accountId: null, detail });
    return changedNode;
  }),
};
