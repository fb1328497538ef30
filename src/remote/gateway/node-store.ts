import { durable, read, relaxed } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Attestation } from "../proof/read-proof.ts";
import {
  type NodeRecord,
  type NodeState,
  readNode,
  readNodes,
  requireNode,
} from "./node-record.ts";
import { storeRegistration } from "./stored-registration.ts";

export type Quarantine = { id: string; untilMs: number; reason: string; nowMs: number };

export type NodeUse = { id: string; done: number; failed: number; seenMs: number };

const sweepBatchRows = 1_000;

/** `nodeId` is null for unknown nodes. */
export type NodeEvent = { atMs: number; nodeId: string | null; action: string; detail: string };

const storedEvents = 10_000;

function* insertEvents(database: Database, events: readonly NodeEvent[]): Steps<void> {
  for (const event of events) {
    yield* database.run(
      "INSERT INTO node_event(at_ms, node_id, action, detail) VALUES(:atMs, :nodeId, :action, :detail)",
      { ...event },
    );
  }
  yield* database.run(
    "DELETE FROM node_event WHERE id <= (SELECT max(id) FROM node_event) - :storedEvents",
    { storedEvents },
  );
}

/** Approval ends a quarantine; approving an approved node again unbinds it from its machine. */
export function* changeNodeState(
  database: Database,
  { id, state, nowMs }: { id: string; state: Exclude<NodeState, "pending">; nowMs: number },
): Steps<NodeRecord> {
  const node = yield* requireNode(database, id);
  if (node.state === "removed" && state !== "removed") throw nodeRemoved(id);
  if (node.state === "pending" && state === "draining") throw nodeNotApproved(id);
  const isQuarantined = (node.quarantinedUntilMs ?? 0) > nowMs;
  const isAgain = node.state === "approved" && state === "approved" && !isQuarantined;
  yield* database.run(
    `UPDATE node SET state = :state, machine = CASE WHEN :isAgain = 1 THEN NULL ELSE machine END WHERE id = :id`,
    { id, state, isAgain: isAgain ? 1 : 0 },
  );
  if (state === "approved") {
    yield* database.run(
      "UPDATE node SET quarantined_until_ms = NULL, quarantine_reason = NULL, quarantines = 0 WHERE id = :id",
      { id },
    );
  }
  const detail = isAgain ? "approved again" : `was ${node.state}`;
  yield* insertEvents(database, [{ atMs: nowMs, nodeId: id, action: state, detail }]);
  return yield* requireNode(database, id);
}

const nodeRemoved = (id: string): EarshotError =>
  new EarshotError("node_removed", `node ${id} was removed permanently`, {
    status: 409,
    hint: "delete node.key in its data folder and restart it to get a new identity",
  });

const nodeNotApproved = (id: string): EarshotError =>
  new EarshotError("node_not_approved", `node ${id} awaits approval`, {
    status: 409,
    hint: "use earshot nodes approve or earshot nodes remove",
  });

export const nodeOperations = {
  recordNodeEvents: relaxed(function* (
    database,
    { events }: { events: readonly NodeEvent[] },
  ): Steps<null> {
    yield* insertEvents(database, events);
    return null;
  }),

  nodeEvents: read(function* (
    database,
    { limit, nodeId = null }: { limit: number; nodeId?: string | null },
  ): Steps<NodeEvent[]> {
    return yield* database.all<NodeEvent>(
      `SELECT at_ms AS atMs, node_id AS nodeId, action, detail FROM node_event
         WHERE CAST(:nodeId AS TEXT) IS NULL OR node_id = :nodeId ORDER BY id DESC LIMIT :limit`,
      { limit, nodeId },
    );
  }),

  nodes: read((database, _args: null) => readNodes(database)),

  node: read((database, { id }: { id: string }) => readNode(database, id)),

  storeRegistration: durable(storeRegistration),

  recordNodeUse: relaxed(function* (database, { uses }: { uses: readonly NodeUse[] }): Steps<null> {
    for (const use of uses) {
      yield* database.run(
        `UPDATE node SET jobs_done = jobs_done + :done, jobs_failed = jobs_failed + :failed,
           seen_ms = max(seen_ms, :seenMs) WHERE id = :id`,
        { ...use },
      );
    }
    return null;
  }),

  quarantineNode: durable(function* (database, { nowMs, ...values }: Quarantine): Steps<null> {
    yield* database.run(
      `UPDATE node SET quarantined_until_ms = :untilMs, quarantine_reason = :reason,
         quarantines = quarantines + 1 WHERE id = :id`,
      values,
    );
    const { id: nodeId, reason: detail } = values;
    yield* insertEvents(database, [{ atMs: nowMs, nodeId, action: "quarantined", detail }]);
    return null;
  }),

  attestation: read(function* (
    database,
    { id, nowMs }: { id: string; nowMs: number },
  ): Steps<Attestation | null> {
    const row = yield* database.get<{ content: string }>(
      "SELECT content FROM attestation WHERE id = :id AND kept_until_ms > :nowMs",
      { id, nowMs },
    );
    return row === undefined ? null : JSON.parse(row.content);
  }),

  sweepNodes: relaxed(function* (
    database,
    { nowMs, retentionMs }: { nowMs: number; retentionMs: number },
  ): Steps<boolean> {
    const sweep = function* (table: string, where: string, atMs: number): Steps<boolean> {
      const deletedCount = yield* database.run(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${where} LIMIT ${sweepBatchRows})`,
        { atMs },
      );
      return deletedCount === sweepBatchRows;
    };
    const isRemovableSql = "(state = 'pending' OR (state = 'approved' AND is_listed = 1))";
    const hasMore = yield* sweep("attestation", "kept_until_ms <= :atMs", nowMs);
    return (
      (yield* sweep("node", `seen_ms < :atMs AND ${isRemovableSql}`, nowMs - retentionMs)) ||
      hasMore
    );
  }),
};

export type NodeOperations = typeof nodeOperations;
