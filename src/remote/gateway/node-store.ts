import type { Database } from "../../db/open.ts";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Capability } from "../capability.ts";

/** `approved` by an operator, or by a policy that lists the machine. `draining` gets no new work. `removed` is permanent. */
export type NodeState = "pending" | "approved" | "draining" | "removed";

/** Times are Unix milliseconds. */
export type NodeRecord = {
  id: string;
  identityKey: string;
  name: string;
  state: NodeState;
  evidence: EvidenceKind;
  capabilities: readonly Capability[];
  /** Concurrent jobs. */
  concurrency: number;
  /** Where it serves searches directly (specification 4.4), if it does. */
  url: string | null;
  version: string;
  createdMs: number;
  seenMs: number;
  attestedMs: number;
  attestationId: string;
  quarantinedUntilMs: number | null;
  quarantineReason: string | null;
  /** Since its last approval. */
  quarantines: number;
  jobsDone: number;
  jobsFailed: number;
  /** Platform instance in its last quote, if any. */
  machine: string | null;
  /** The policy's name of its image, and its compose hash; null if not measured. */
  image: string | null;
  composeHash: string | null;
  /** The policy lists its machine, so no operator needs to approve it. */
  isListed: boolean;
};

const nodeColumns = `id, identity_key AS identityKey, name, state, evidence, capabilities, concurrency, url, version,
  created_ms AS createdMs, seen_ms AS seenMs, attested_ms AS attestedMs, attestation_id AS attestationId,
  quarantined_until_ms AS quarantinedUntilMs, quarantine_reason AS quarantineReason, quarantines,
  jobs_done AS jobsDone, jobs_failed AS jobsFailed, machine, image, compose_hash AS composeHash, is_listed AS isListed`;

/** `capabilities` is JSON, `isListed` 0 or 1. */
type NodeRow = Omit<NodeRecord, "capabilities" | "isListed"> & {
  capabilities: string;
  isListed: number;
};

export function nodeOf(database: Database, id: string): NodeRecord | null {
  const row = database.get<NodeRow>(`SELECT ${nodeColumns} FROM node WHERE id = :id`, { id });
  return row === undefined ? null : recordOf(row);
}

/** Oldest first. */
export function allNodes(database: Database): NodeRecord[] {
  return database
    .all<NodeRow>(`SELECT ${nodeColumns} FROM node ORDER BY created_ms, id`)
    .map(recordOf);
}

function recordOf(row: NodeRow): NodeRecord {
  return { ...row, capabilities: JSON.parse(row.capabilities), isListed: row.isListed === 1 };
}
