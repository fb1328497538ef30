import type { Database } from "../../db/open.ts";
import { durable, read, relaxed } from "../../db/operations.ts";
import type { Attestation } from "../proof/proof.ts";
import { keepNode } from "./node-arrival.ts";
import { insertEvents, type NodeEvent } from "./node-events.ts";
import { allNodes, nodeOf } from "./node-store.ts";

export { changeNodeState } from "./node-changes.ts";

/** Unix milliseconds. */
export type Quarantine = { id: string; untilMs: number; reason: string; nowMs: number };

/** Since the last write. */
export type NodeUse = { id: string; done: number; failed: number; seenMs: number };

/** Per table and sweep. */
const sweptRows = 1_000;

export const nodeOperations = {
  /** Including removed ones, oldest first. */
  nodes: read((database, _args: null) => allNodes(database)),

  node: read((database, { id }: { id: string }) => nodeOf(database, id)),

  keepNode: durable(keepNode),

  /** May be lost in a crash. */
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

  quarantineNode: durable((database, { nowMs, ...values }: Quarantine): null => {
    database.run(
      `UPDATE node SET quarantined_until_ms = :untilMs, quarantine_reason = :reason,
         quarantines = quarantines + 1 WHERE id = :id`,
      values,
    );
    const { id: nodeId, reason: detail } = values;
    insertEvents(database, [{ atMs: nowMs, nodeId, action: "quarantined", detail }]);
    return null;
  }),

  /** Null if unknown or expired. */
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

  /** Newest first. */
  nodeEvents: read(
    (database, { limit, nodeId = null }: { limit: number; nodeId?: string | null }): NodeEvent[] =>
      database.all<NodeEvent>(
        `SELECT at_ms AS atMs, node_id AS nodeId, action, detail FROM node_event
         WHERE :nodeId IS NULL OR node_id = :nodeId ORDER BY id DESC LIMIT :limit`,
        { limit, nodeId },
      ),
  ),

  /** Deletes expired attestations, old spot checks and old unapproved nodes. Returns whether more remain. */
  sweepNodes: relaxed(
    (database, { nowMs, memoryMs }: { nowMs: number; memoryMs: number }): boolean => {
      const isUnapproved = "(state = 'pending' OR (state = 'approved' AND is_listed = 1))";
      const swept = [
        sweep(database, "attestation", "kept_until_ms <= :atMs", nowMs),
        sweep(database, "spot_check", "at_ms < :atMs", nowMs - memoryMs),
        sweep(database, "node", `seen_ms < :atMs AND ${isUnapproved}`, nowMs - memoryMs),
      ];
      return swept.some((rows) => rows === sweptRows);
    },
  ),
};

export type NodeOperations = typeof nodeOperations;

const sweep = (database: Database, table: string, where: string, atMs: number): number =>
  database.run(
    `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${where} LIMIT ${sweptRows})`,
    { atMs },
  );
