import type { Database } from "../../db/open.ts";
import { durable, read, relaxed } from "../../db/operations.ts";
import type { Attestation } from "../proof/proof.ts";
import { keepNode } from "./node-arrival.ts";
import { insertEvents, type NodeEvent } from "./node-events.ts";
import { allNodes, type NodeState, nodeOf } from "./node-store.ts";

export { changeNodeState } from "./node-changes.ts";

/** What of a node an operator may have changed, beside a server that runs. */
export type NodeStand = {
  id: string;
  state: NodeState;
  machine: string | null;
  quarantinedUntilMs: number | null;
  quarantineReason: string | null;
  quarantines: number;
};

/** What a node has done since the note before. */
export type NodeUse = { id: string; done: number; failed: number; seenMs: number };

/** Rows that one sweep takes away of each kind. */
const sweptRows = 1_000;

/** Everything that is kept of nodes, as operations of the control store. */
export const nodeOperations = {
  /** All nodes, removed ones too, the oldest first. */
  nodes: read((database, _args: null) => allNodes(database)),

  node: read((database, { id }: { id: string }) => nodeOf(database, id)),

  nodeStands: read((database, _args: null): NodeStand[] =>
    database.all<NodeStand>(
      `SELECT id, state, machine, quarantined_until_ms AS quarantinedUntilMs, quarantine_reason AS quarantineReason,
         quarantines FROM node`,
    ),
  ),

  keepNode: durable(keepNode),

  /** Counts and times that a crash may take back. */
  noteNodeUse: relaxed((database, { uses }: { uses: readonly NodeUse[] }): null => {
    for (const use of uses) {
      database.run(
        `UPDATE node SET jobs_done = jobs_done + :done, jobs_failed = jobs_failed + :failed,
           seen_ms = max(seen_ms, :seenMs) WHERE id = :id`,
        { ...use },
      );
    }
    return null;
  }),

  quarantineNode: durable(
    (
      database,
      quarantine: { id: string; untilMs: number; reason: string; nowMs: number },
    ): null => {
      const { nowMs, ...values } = quarantine;
      const { id, reason } = values;
      database.run(
        `UPDATE node SET quarantined_until_ms = :untilMs, quarantine_reason = :reason,
           quarantines = quarantines + 1 WHERE id = :id`,
        values,
      );
      insertEvents(database, [{ atMs: nowMs, nodeId: id, action: "quarantined", detail: reason }]);
      return null;
    },
  ),

  /** Null when it is not known, or not kept any more. */
  attestation: read(
    (database, { id, nowMs }: { id: string; nowMs: number }): Attestation | null => {
      const row = database.get<{ content: string }>(
        "SELECT content FROM attestation WHERE id = :id AND kept_until_ms > :nowMs",
        { id, nowMs },
      );
      return row === undefined ? null : JSON.parse(row.content);
    },
  ),

  noteNodeEvents: relaxed((database, { events }: { events: readonly NodeEvent[] }): null => {
    insertEvents(database, events);
    return null;
  }),

  /** The newest first. */
  nodeEvents: read(
    (database, { limit, nodeId = null }: { limit: number; nodeId?: string | null }): NodeEvent[] =>
      database.all<NodeEvent>(
        `SELECT at_ms AS atMs, node_id AS nodeId, action, detail FROM node_event
         WHERE :nodeId IS NULL OR node_id = :nodeId ORDER BY id DESC LIMIT :limit`,
        { limit, nodeId },
      ),
  ),

  /**
   * Forgets attestations that are kept long enough; spot checks of earlier versions, nodes that wait for approval and nodes that the policy alone
   * has approved, once they are older than `memoryMs`. Whether more is left.
   */
  sweepNodes: relaxed(
    (database, { nowMs, memoryMs }: { nowMs: number; memoryMs: number }): boolean => {
      const beforeMs = nowMs - memoryMs;
      const swept = [
        drop(database, "attestation", "kept_until_ms <= :nowMs", { nowMs }),
        drop(database, "spot_check", "at_ms < :beforeMs", { beforeMs }),
        drop(
          database,
          "node",
          "seen_ms < :beforeMs AND (state = 'pending' OR (state = 'approved' AND is_listed = 1))",
          { beforeMs },
        ),
      ];
      return swept.some((rows) => rows === sweptRows);
    },
  ),
};

export type NodeOperations = typeof nodeOperations;

function drop(
  database: Database,
  table: string,
  where: string,
  parameters: Readonly<Record<string, number>>,
): number {
  return database.run(
    `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${where} LIMIT ${sweptRows})`,
    parameters,
  );
}
