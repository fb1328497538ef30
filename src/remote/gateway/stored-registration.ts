import type { Database, Steps } from "../../db/statements.ts";
import type { EarshotError } from "../../lib/errors.ts";
import { isInsecure } from "../evidence/evidence.ts";
import type { Attestation } from "../proof/read-proof.ts";
import { nodeRefused } from "../protocol/errors.ts";
import {
  type NodeRecord,
  type NodeState,
  type RegisteredNode,
  readNode,
  requireNode,
} from "./node-record.ts";

export type NodeRegistration = RegisteredNode & {
  attestation: Attestation;
  keptUntilMs: number;
  nowMs: number;
};

export type StoredRegistration = { record: NodeRecord; pendingReason: string | null };

const newIdentityHint = "delete node.key in its data folder and restart it to get a new identity";

const runRefusals = {
  node_removed: ["an operator removed this node", newIdentityHint],
  other_identity: ["another node has the same id", newIdentityHint],
  key_in_use: ["the keys of this run belong to another node", "restart it to create new keys"],
  superseded: ["another run of this node attested later", "use one data folder per node"],
  evidence_downgraded: [
    "this node was approved with hardware evidence, which is now missing",
    "start it with its former evidence, or delete node.key in its data folder to get a new identity",
  ],
  machine_changed: [
    "this node was approved on another machine",
    "approve the new machine with earshot nodes approve",
  ],
} as const;

export function runRefused(check: keyof typeof runRefusals): EarshotError {
  const [message, hint] = runRefusals[check];
  return nodeRefused(check, message, hint);
}

const attestationsPerNode = 1_000;

/**
 * A new node is pending unless the policy lists its machine and no other node on it has been
 * removed or is quarantined.
 */
export function* storeRegistration(
  database: Database,
  registration: NodeRegistration,
): Steps<StoredRegistration> {
  const storedNode = yield* readNode(database, registration.id);
  if (storedNode !== null) requireSameNode(storedNode, registration);
  const isUnapproved = storedNode === null || storedNode.state === "pending";
  const pendingReason =
    isUnapproved && registration.isListed ? yield* findObjection(database, registration) : null;
  const state = pendingReason === null ? stateAfter(storedNode, registration) : "pending";
  yield* upsert(database, registration, state);
  if (state !== "pending") yield* storeAttestation(database, registration);
  return { record: yield* requireNode(database, registration.id), pendingReason };
}

/** New identities are free, so decisions about the machine's other nodes apply. */
function* findObjection(
  database: Database,
  { id, machine, nowMs }: NodeRegistration,
): Steps<string | null> {
  const otherNode = yield* database.get<{ id: string; state: NodeState }>(
    `SELECT id, state FROM node WHERE machine = :machine AND id <> :id
       AND (state = 'removed' OR quarantined_until_ms > :nowMs) ORDER BY state = 'removed' DESC, id LIMIT 1`,
    { id, machine, nowMs },
  );
  if (otherNode === undefined) return null;
  const fate = otherNode.state === "removed" ? "was removed" : "is quarantined";
  return `node ${otherNode.id} on the same machine ${fate}, so an operator must approve this one`;
}

function requireSameNode(storedNode: NodeRecord, registration: NodeRegistration): void {
  // The id is a short hash; the key is authoritative.
  if (storedNode.identityKey !== registration.identityKey) throw runRefused("other_identity");
  if (storedNode.state === "removed") throw runRefused("node_removed");
  if (storedNode.state === "pending") return;
  if (isInsecure(registration.evidence) && !isInsecure(storedNode.evidence)) {
    throw runRefused("evidence_downgraded");
  }
  const isBound = storedNode.machine !== null && !registration.isListed;
  if (isBound && registration.machine !== storedNode.machine) throw runRefused("machine_changed");
}

function stateAfter(storedNode: NodeRecord | null, { isListed }: NodeRegistration): NodeState {
  if (isListed)
    return storedNode === null || storedNode.state === "pending" ? "approved" : storedNode.state;
  // Only the policy had approved the node, and no longer lists its machine.
  if (storedNode === null || (storedNode.state === "approved" && storedNode.isListed))
    return "pending";
  return storedNode.state;
}

function* upsert(
  database: Database,
  registration: NodeRegistration,
  state: NodeState,
): Steps<void> {
  const { attestation, capabilities, isListed, keptUntilMs: _, ...rest } = registration;
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

function* storeAttestation(
  database: Database,
  { attestation, keptUntilMs, nowMs }: NodeRegistration,
) {
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
