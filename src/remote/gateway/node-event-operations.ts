import { read, relaxed } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";

/** `nodeId` is null for unknown nodes. */
export type NodeEvent = { atMs: number; nodeId: string | null; action: string; detail: string };

const storedEvents = 10_000;

export function* insertEvents(database: Database, events: readonly NodeEvent[]): Steps<void> {
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

export const nodeEventOperations = {
  noteNodeEvents: relaxed(function* (
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
};
