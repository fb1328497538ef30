import type { Database } from "../../db/open.ts";
import type { NodeRecord } from "./node-store.ts";

/** The columns of a `NodeRow`. */
const nodeColumns = `id, identity_key AS identityKey, name, state, evidence, capabilities, concurrency, url, version,
  created_ms AS createdMs, seen_ms AS seenMs, attested_ms AS attestedMs, attestation_id AS attestationId,
  quarantined_until_ms AS quarantinedUntilMs, quarantine_reason AS quarantineReason, quarantines,
  jobs_done AS jobsDone, jobs_failed AS jobsFailed, machine, image, compose_hash AS composeHash, is_listed AS isListed`;

/** A node as its row holds it; `capabilities` is JSON, `isListed` 0 or 1. */
type NodeRow = Omit<NodeRecord, "capabilities" | "isListed"> & {
  capabilities: string;
  isListed: number;
};

export function nodeOf(database: Database, id: string): NodeRecord | null {
  const row = database.get<NodeRow>(`SELECT ${nodeColumns} FROM node WHERE id = :id`, { id });
  return row === undefined ? null : recordOf(row);
}

/** All nodes, the oldest first. */
export function allNodes(database: Database): NodeRecord[] {
  return database
    .all<NodeRow>(`SELECT ${nodeColumns} FROM node ORDER BY created_ms, id`)
    .map(recordOf);
}

function recordOf(row: NodeRow): NodeRecord {
  return { ...row, capabilities: JSON.parse(row.capabilities), isListed: row.isListed === 1 };
}
