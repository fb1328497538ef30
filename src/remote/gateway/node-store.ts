import { durable, read, relaxed } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import type { Attestation } from "../proof/read-proof.ts";
import { insertEvents, nodeEventOperations } from "./node-event-operations.ts";
import { nodeOf, nodesOf } from "./node-record.ts";
import { storeRegistration } from "./stored-registration.ts";

export type Quarantine = { id: string; untilMs: number; reason: string; nowMs: number };

export type NodeUse = { id: string; done: number; failed: number; seenMs: number };

const sweptRows = 1_000;

export const nodeOperations = {
  ...nodeEventOperations,

  nodes: read((database, _args: null) => nodesOf(database)),

  node: read((database, { id }: { id: string }) => nodeOf(database, id)),

  storeRegistration: durable(storeRegistration),

  noteNodeUse: relaxed(function* (database, { uses }: { uses: readonly NodeUse[] }): Steps<null> {
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
      const swept = yield* database.run(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${where} LIMIT ${sweptRows})`,
        { atMs },
      );
      return swept === sweptRows;
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
