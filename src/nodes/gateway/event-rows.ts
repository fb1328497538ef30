import type { Database } from "../../db/open.ts";

/** What is told of nodes. */
export type NodeAction =
  | "admitted"
  | "pending"
  | "refused"
  | "approved"
  | "draining"
  | "removed"
  | "left"
  | "replaced"
  | "quarantined"
  | "answer_refused"
  | "lease_lapsed"
  | "job_late"
  | "jobs_failed"
  | "spot_check";

/** Something that happened to a node, or to one that is not known: then `nodeId` is null. `detail` is for people. */
export type NodeEvent = {
  atMs: number;
  nodeId: string | null;
  action: NodeAction;
  detail: string;
};

/** So many of the newest events are kept. */
const keptEvents = 10_000;

/** Appends events and forgets the oldest beyond `keptEvents`. */
export function insertEvents(database: Database, events: readonly NodeEvent[]): void {
  for (const event of events) {
    database.run(
      "INSERT INTO node_event(at_ms, node_id, action, detail) VALUES(:atMs, :nodeId, :action, :detail)",
      { ...event },
    );
  }
  database.run(
    "DELETE FROM node_event WHERE id <= (SELECT max(id) FROM node_event) - :keptEvents",
    { keptEvents },
  );
}
