import type { Database, Steps } from "../../db/statements.ts";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Capability } from "../capability.ts";

/** `approved`: by an operator, or by a policy that lists the machine. */
export type NodeState = "pending" | "approved" | "draining" | "removed";

export type RegisteredNode = {
  id: string;
  identityKey: string;
  name: string;
  evidence: EvidenceKind;
  capabilities: readonly Capability[];
  concurrency: number;
  version: string;
  machine: string | null;
  image: string | null;
  composeHash: string | null;
  isListed: boolean;
};

export type NodeRecord = RegisteredNode & {
  state: NodeState;
  createdMs: number;
  seenMs: number;
  attestedMs: number;
  attestationId: string;
  quarantinedUntilMs: number | null;
  quarantineReason: string | null;
  /** Number of quarantines since the last approval. */
  quarantines: number;
  jobsDone: number;
  jobsFailed: number;
};

export const isQuarantined = (
  { quarantinedUntilMs }: NodeRecord,
  clock: { now(): number },
): boolean => quarantinedUntilMs !== null && quarantinedUntilMs > clock.now();

const columns = `id, identity_key AS identityKey, name, state, evidence, capabilities, concurrency, version,
  created_ms AS createdMs, seen_ms AS seenMs, attested_ms AS attestedMs, attestation_id AS attestationId,
  quarantined_until_ms AS quarantinedUntilMs, quarantine_reason AS quarantineReason, quarantines,
  jobs_done AS jobsDone, jobs_failed AS jobsFailed, machine, image, compose_hash AS composeHash, is_listed AS isListed`;

type NodeRow = Omit<NodeRecord, "capabilities" | "isListed"> & {
  capabilities: string;
  isListed: number;
};

const makeRecord = (row: NodeRow): NodeRecord => ({
  ...row,
  capabilities: JSON.parse(row.capabilities),
  isListed: row.isListed === 1,
});

export function* readNodes(database: Database): Steps<NodeRecord[]> {
  const rows = yield* database.all<NodeRow>(`SELECT ${columns} FROM node ORDER BY created_ms, id`);
  return rows.map(makeRecord);
}

export function* readNode(database: Database, id: string): Steps<NodeRecord | null> {
  const row = yield* database.get<NodeRow>(`SELECT ${columns} FROM node WHERE id = :id`, {
    id,
  });
  return row === undefined ? null : makeRecord(row);
}

/** Errors: `node_not_found`. */
export function* requireNode(database: Database, id: string): Steps<NodeRecord> {
  const node = yield* readNode(database, id);
  if (node !== null) return node;
  throw new EarshotError("node_not_found", `node ${JSON.stringify(id)} not found`, {
    status: 404,
    hint: "find its id with earshot nodes list --all",
  });
}
