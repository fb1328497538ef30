import type { Database } from "../../db/open.ts";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Capability } from "../capability.ts";

/**
 * `pending` until an operator approves it, or at once `approved` where the policy names its machine. `draining` gets no more
 * work. `removed` is refused for good.
 */
export type NodeState = "pending" | "approved" | "draining" | "removed";

/** A node as the control store knows it; times are Unix milliseconds. */
export type NodeRecord = {
  id: string;
  identityKey: string;
  name: string;
  state: NodeState;
  evidence: EvidenceKind;
  capabilities: readonly Capability[];
  /** Jobs that it runs at a time. */
  concurrency: number;
  /** Where it listens for searches (specification 4.4); null where it does not. */
  url: string | null;
  version: string;
  createdMs: number;
  seenMs: number;
  attestedMs: number;
  attestationId: string;
  quarantinedUntilMs: number | null;
  quarantineReason: string | null;
  /** How often it was quarantined since it was approved. */
  quarantines: number;
  jobsDone: number;
  jobsFailed: number;
  /** The platform instance that its quote named last; null where it told none. */
  machine: string | null;
  /** What the policy calls the image that it runs, and the hash of its compose file; null where nothing was measured. */
  image: string | null;
  composeHash: string | null;
  /** Whether the policy names its machine: it was approved without an operator. */
  isListed: boolean;
};

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
