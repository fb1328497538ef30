import type { Database } from "../../db/open.ts";
import { isInsecure } from "../evidence/evidence.ts";
import type { Attestation } from "../proof/proof.ts";
import { type NodeRecord, type NodeState, nodeOf } from "./node-store.ts";

/** A node whose evidence was verified, as it is to be kept. */
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
> & {
  attestation: Attestation;
  keptUntilMs: number;
  nowMs: number;
  maxPending: number;
};

/** What became of it: `refused` names the check that failed; `waitsFor` why the policy alone does not approve it, for people. */
export type KeptNode =
  | { refused: null; record: NodeRecord; waitsFor: string | null }
  | { refused: "node_removed" | "other_identity" | "evidence_downgraded" | "machine_changed" };

/** Nodes that are approved by the policy alone, and attestations of one node, of which so many are kept. */
const mostListed = 1_000;
const mostAttestations = 1_000;

/**
 * Keeps a node that attested: one that is not known waits for approval unless the policy names its machine, and no node of that
 * machine was removed or is quarantined. An approval is of what was approved: it does not stand for weaker evidence, nor for
 * another machine.
 */
export function keepNode(database: Database, arrival: NodeArrival): KeptNode {
  const held = nodeOf(database, arrival.id);
  const refused = held === null ? null : refusalOf(held, arrival);
  if (refused !== null) return { refused };
  const waitsFor = isUnapproved(held) && arrival.isListed ? objectionTo(database, arrival) : null;
  const state = waitsFor === null ? stateAfter(held, arrival) : "pending";
  upsert(database, arrival, state);
  const { id } = arrival;
  if (state === "pending") dropBeyond(database, "state = 'pending'", arrival.maxPending, id);
  else keepAttestation(database, arrival);
  if (arrival.isListed) {
    dropBeyond(database, "state = 'approved' AND is_listed = 1", mostListed, id);
  }
  const record = nodeOf(database, id);
  if (record === null) throw new Error("a node is missing that was just kept");
  return { refused: null, record, waitsFor };
}

const isUnapproved = (held: NodeRecord | null): boolean =>
  held === null || held.state === "pending";

/** An identity is made anew in no time: what was said about a node of the machine is said about the next one too. */
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

function refusalOf(held: NodeRecord, arrival: NodeArrival) {
  // An id is a short hash; the key is what tells nodes apart.
  if (held.identityKey !== arrival.identityKey) return "other_identity";
  if (held.state === "removed") return "node_removed";
  if (held.state === "pending") return null;
  if (isInsecure(arrival.evidence) && !isInsecure(held.evidence)) return "evidence_downgraded";
  const isBound = held.machine !== null && !arrival.isListed;
  return isBound && arrival.machine !== held.machine ? "machine_changed" : null;
}

function stateAfter(held: NodeRecord | null, { isListed }: NodeArrival): NodeState {
  if (isListed) return held === null || held.state === "pending" ? "approved" : held.state;
  // What the policy alone had approved waits for an operator once the policy does not name its machine.
  if (held === null || (held.state === "approved" && held.isListed)) return "pending";
  return held.state;
}

function upsert(database: Database, arrival: NodeArrival, state: NodeState): void {
  const { attestation, capabilities, isListed, keptUntilMs: _, maxPending: __, ...rest } = arrival;
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

/** Of those that `which` selects, the ones heard of longest ago are deleted, but not the one that has just come. */
function dropBeyond(database: Database, which: string, most: number, id: string): void {
  database.run(
    `DELETE FROM node WHERE id IN
       (SELECT id FROM node WHERE ${which} ORDER BY id = :id DESC, seen_ms DESC, created_ms DESC, id
        LIMIT -1 OFFSET :most)`,
    { most, id },
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
