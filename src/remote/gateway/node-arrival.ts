import type { Database } from "../../db/open.ts";
import { isInsecure } from "../evidence/evidence.ts";
import type { Attestation } from "../proof/proof.ts";
import { type NodeRecord, type NodeState, nodeOf } from "./node-store.ts";

/** A node with verified evidence. */
export type NodeArrival = Pick<
  NodeRecord,
  | "id"
  | "identityKey"
  | "name"
  | "evidence"
  | "capabilities"
  | "concurrency"
  | "url"
  | "version"
  | "machine"
  | "image"
  | "composeHash"
  | "isListed"
> & { attestation: Attestation; keptUntilMs: number; nowMs: number };

/** `waitsFor`: why the policy alone does not approve it, for people. */
export type StoredArrival = { refused: null; record: NodeRecord; waitsFor: string | null };

type RefusedArrival = {
  refused: "node_removed" | "other_identity" | "evidence_downgraded" | "machine_changed";
};

/** Per node. */
const mostAttestations = 1_000;

/**
 * A new node is pending unless the policy lists its machine and no other node of that machine is removed or quarantined. An
 * approval does not extend to insecure evidence or another machine.
 */
export function keepNode(database: Database, arrival: NodeArrival): StoredArrival | RefusedArrival {
  const before = nodeOf(database, arrival.id);
  const refused = before === null ? null : refusalOf(before, arrival);
  if (refused !== null) return { refused };
  const isUnapproved = before === null || before.state === "pending";
  const waitsFor = isUnapproved && arrival.isListed ? objectionTo(database, arrival) : null;
  const state = waitsFor === null ? stateAfter(before, arrival) : "pending";
  upsert(database, arrival, state);
  if (state !== "pending") keepAttestation(database, arrival);
  const record = nodeOf(database, arrival.id);
  if (record === null) throw new Error("a node is missing that was just stored");
  return { refused: null, record, waitsFor };
}

/** New identities are free, so decisions about other nodes of the machine count. */
function objectionTo(database: Database, { id, machine, nowMs }: NodeArrival): string | null {
  const other = database.get<{ id: string; state: NodeState }>(
    `SELECT id, state FROM node WHERE machine = :machine AND id <> :id
       AND (state = 'removed' OR quarantined_until_ms > :nowMs) ORDER BY state = 'removed' DESC, id LIMIT 1`,
    { id, machine, nowMs },
  );
  if (other === undefined) return null;
  const fate = other.state === "removed" ? "was removed" : "is quarantined";
  return `node ${other.id} of its machine ${fate}, so that the policy alone does not approve it`;
}

function refusalOf(before: NodeRecord, arrival: NodeArrival) {
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

function upsert(database: Database, arrival: NodeArrival, state: NodeState): void {
  const { attestation, capabilities, isListed, keptUntilMs: _, ...rest } = arrival;
  database.run(
    `INSERT INTO node(id, identity_key, name, state, evidence, capabilities, concurrency, url, version, created_ms, seen_ms,
       attested_ms, attestation_id, machine, image, compose_hash, is_listed)
     VALUES(:id, :identityKey, :name, :state, :evidence, :capabilities, :concurrency, :url, :version, :nowMs, :nowMs,
       :nowMs, :attestationId, :machine, :image, :composeHash, :isListed)
     ON CONFLICT(id) DO UPDATE SET name = :name, state = :state, evidence = :evidence, capabilities = :capabilities,
       concurrency = :concurrency, url = :url, version = :version, seen_ms = :nowMs, attested_ms = :nowMs,
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

function keepAttestation(database: Database, { attestation, keptUntilMs, nowMs }: NodeArrival) {
  const { id, node_id: nodeId, key_id: keyId } = attestation;
  database.run(
    `INSERT OR REPLACE INTO attestation(id, node_id, key_id, content, verified_ms, kept_until_ms)
     VALUES(:id, :nodeId, :keyId, :content, :nowMs, :keptUntilMs)`,
    { id, nodeId, keyId, content: JSON.stringify(attestation), nowMs, keptUntilMs },
  );
  database.run(
    `DELETE FROM attestation WHERE id IN
       (SELECT id FROM attestation WHERE node_id = :nodeId ORDER BY verified_ms DESC, id LIMIT -1 OFFSET :most)`,
    { nodeId, most: mostAttestations },
  );
}
