import { durable, read, relaxed } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Capability } from "../capability.ts";
import { isInsecure } from "../evidence/evidence.ts";
import type { Attestation } from "../proof/read-proof.ts";

/** `approved` by an operator, or by a policy that lists the machine. */
export type NodeState = "pending" | "approved" | "draining" | "removed";

export type NodeRecord = {
  id: string;
  identityKey: string;
  name: string;
  state: NodeState;
  evidence: EvidenceKind;
  capabilities: readonly Capability[];
  concurrency: number;
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
  machine: string | null;
  image: string | null;
  composeHash: string | null;
  isListed: boolean;
};

/** `nodeId` is null for unknown nodes. */
export type NodeEvent = { atMs: number; nodeId: string | null; action: string; detail: string };

export type Quarantine = { id: string; untilMs: number; reason: string; nowMs: number };

export type NodeUse = { id: string; done: number; failed: number; seenMs: number };

export type NodeArrival = Omit<
  NodeRecord,
  | "state"
  | "createdMs"
  | "seenMs"
  | "attestedMs"
  | "attestationId"
  | "quarantinedUntilMs"
  | "quarantineReason"
  | "quarantines"
  | "jobsDone"
  | "jobsFailed"
> & { attestation: Attestation; keptUntilMs: number; nowMs: number };

export type StoredArrival = { refused: null; record: NodeRecord; waitsFor: string | null };

type RefusedArrival = {
  refused: "node_removed" | "other_identity" | "evidence_downgraded" | "machine_changed";
};

export const isQuarantined = (
  { quarantinedUntilMs }: NodeRecord,
  clock: { now(): number },
): boolean => quarantinedUntilMs !== null && quarantinedUntilMs > clock.now();

const attestationsPerNode = 1_000;
const storedEvents = 10_000;
const sweptRows = 1_000;

export const nodeOperations = {
  nodes: read(function* (database, _args: null) {
    return (yield* database.all<NodeRow>(
      `SELECT ${nodeColumns} FROM node ORDER BY created_ms, id`,
    )).map(recordOf);
  }),

  node: read(function* (database, { id }: { id: string }) {
    return yield* nodeOf(database, id);
  }),

  storeArrival: durable(storeArrival),

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

  sweepNodes: relaxed(function* (
    database,
    { nowMs, memoryMs }: { nowMs: number; memoryMs: number },
  ): Steps<boolean> {
    const sweep = function* (table: string, where: string, atMs: number): Steps<boolean> {
      const swept = yield* database.run(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${where} LIMIT ${sweptRows})`,
        { atMs },
      );
      return swept === sweptRows;
    };
    const isUnapproved = "(state = 'pending' OR (state = 'approved' AND is_listed = 1))";
    const hasMore = yield* sweep("attestation", "kept_until_ms <= :atMs", nowMs);
    return (
      (yield* sweep("node", `seen_ms < :atMs AND ${isUnapproved}`, nowMs - memoryMs)) || hasMore
    );
  }),
};

export type NodeOperations = typeof nodeOperations;

const nodeColumns = `id, identity_key AS identityKey, name, state, evidence, capabilities, concurrency, version,
  created_ms AS createdMs, seen_ms AS seenMs, attested_ms AS attestedMs, attestation_id AS attestationId,
  quarantined_until_ms AS quarantinedUntilMs, quarantine_reason AS quarantineReason, quarantines,
  jobs_done AS jobsDone, jobs_failed AS jobsFailed, machine, image, compose_hash AS composeHash, is_listed AS isListed`;

type NodeRow = Omit<NodeRecord, "capabilities" | "isListed"> & {
  capabilities: string;
  isListed: number;
};

const recordOf = (row: NodeRow): NodeRecord => ({
  ...row,
  capabilities: JSON.parse(row.capabilities),
  isListed: row.isListed === 1,
});

function* nodeOf(database: Database, id: string): Steps<NodeRecord | null> {
  const row = yield* database.get<NodeRow>(`SELECT ${nodeColumns} FROM node WHERE id = :id`, {
    id,
  });
  return row === undefined ? null : recordOf(row);
}

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

/** Pending unless the policy lists its machine, and no other node of it is removed or quarantined. */
function* storeArrival(
  database: Database,
  arrival: NodeArrival,
): Steps<StoredArrival | RefusedArrival> {
  const before = yield* nodeOf(database, arrival.id);
  const refused = before === null ? null : refusalOf(before, arrival);
  if (refused !== null) return { refused };
  const isUnapproved = before === null || before.state === "pending";
  const waitsFor = isUnapproved && arrival.isListed ? yield* objectionTo(database, arrival) : null;
  const state = waitsFor === null ? stateAfter(before, arrival) : "pending";
  yield* upsert(database, arrival, state);
  if (state !== "pending") yield* storeAttestation(database, arrival);
  return { refused: null, record: yield* requireNode(database, arrival.id), waitsFor };
}

/** New identities are free, so decisions about other nodes of the machine count. */
function* objectionTo(
  database: Database,
  { id, machine, nowMs }: NodeArrival,
): Steps<string | null> {
  const other = yield* database.get<{ id: string; state: NodeState }>(
    `SELECT id, state FROM node WHERE machine = :machine AND id <> :id
       AND (state = 'removed' OR quarantined_until_ms > :nowMs) ORDER BY state = 'removed' DESC, id LIMIT 1`,
    { id, machine, nowMs },
  );
  if (other === undefined) return null;
  const fate = other.state === "removed" ? "was removed" : "is quarantined";
  return `node ${other.id} of its machine ${fate}, so an operator must approve it`;
}

function refusalOf(before: NodeRecord, arrival: NodeArrival): RefusedArrival["refused"] | null {
  // The id is a short hash; the key is authoritative.
  if (before.identityKey !== arrival.identityKey) return "other_identity";
  if (before.state === "removed") return "node_removed";
  if (before.state === "pending") return null;
  if (isInsecure(arrival.evidence) && !isInsecure(before.evidence)) return "evidence_downgraded";
  const isBound = before.machine !== null && !arrival.isListed;
  return isBound && arrival.machine !== before.machine ? "machine_changed" : null;
}

function stateAfter(before: NodeRecord | null, { isListed }: NodeArrival): NodeState {
  if (isListed) return before === null || before.state === "pending" ? "approved" : before.state;
  // Only the policy approved it, and no longer lists its machine.
  if (before === null || (before.state === "approved" && before.isListed)) return "pending";
  return before.state;
}

function* upsert(database: Database, arrival: NodeArrival, state: NodeState): Steps<void> {
  const { attestation, capabilities, isListed, keptUntilMs: _, ...rest } = arrival;
  yield* database.run(
    `INSERT INTO node(id, identity_key, name, state, evidence, capabilities, concurrency, version, created_ms, seen_ms,
       attested_ms, attestation_id, machine, image, compose_hash, is_listed)
     VALUES(:id, :identityKey, :name, :state, :evidence, :capabilities, :concurrency, :version, :nowMs, :nowMs,
       :nowMs, :attestationId, :machine, :image, :composeHash, :isListed)
     ON CONFLICT(id) DO UPDATE SET name = :name, state = :state, evidence = :evidence, capabilities = :capabilities,
       concurrency = :concurrency, version = :version, seen_ms = :nowMs, attested_ms = :nowMs,
       attestation_id = :attestationId, machine = :machine, image = :image, compose_hash = :composeHash,
       is_listed = :isListed`,
    {
      ...rest,
      state,
      capabilities: JSON.stringify(capabilities),
      isListed: isListed ? 1 : 0,
      attestationId: attestation.id,
    },
  );
}

function* storeAttestation(database: Database, { attestation, keptUntilMs, nowMs }: NodeArrival) {
  const { id, node_id: nodeId, key_id: keyId } = attestation;
  yield* database.run(
    `INSERT INTO attestation(id, node_id, key_id, content, verified_ms, kept_until_ms)
     VALUES(:id, :nodeId, :keyId, :content, :nowMs, :keptUntilMs)
     ON CONFLICT(id) DO UPDATE SET node_id = :nodeId, key_id = :keyId, content = :content, verified_ms = :nowMs,
       kept_until_ms = :keptUntilMs`,
    { id, nodeId, keyId, content: JSON.stringify(attestation), nowMs, keptUntilMs },
  );
  yield* database.run(
    `DELETE FROM attestation WHERE id IN
       (SELECT id FROM attestation WHERE node_id = :nodeId ORDER BY verified_ms DESC, id LIMIT 1000000 OFFSET :most)`,
    { nodeId, most: attestationsPerNode },
  );
}

/** Approval ends a quarantine; approving again unbinds the node from its machine. */
export function* changeNodeState(
  database: Database,
  { id, state, nowMs }: { id: string; state: Exclude<NodeState, "pending">; nowMs: number },
): Steps<NodeRecord> {
  const before = yield* requireNode(database, id);
  if (before.state === "removed" && state !== "removed") throw nodeRemoved(id);
  if (before.state === "pending" && state === "draining") throw nodeNotApproved(id);
  const isQuarantined = (before.quarantinedUntilMs ?? 0) > nowMs;
  const isAgain = before.state === "approved" && state === "approved" && !isQuarantined;
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
  const detail = isAgain ? "approved again" : `was ${before.state}`;
  yield* insertEvents(database, [{ atMs: nowMs, nodeId: id, action: state, detail }]);
  return yield* requireNode(database, id);
}

function* requireNode(database: Database, id: string): Steps<NodeRecord> {
  const node = yield* nodeOf(database, id);
  if (node !== null) return node;
  throw new EarshotError("node_not_found", `node ${JSON.stringify(id)} not found`, {
    status: 404,
    hint: "find its id with earshot nodes list --all",
  });
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
