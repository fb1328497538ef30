import { EarshotError } from "../../lib/errors.ts";
import type { Collateral, VerifiedEvidence } from "../evidence/evidence.ts";
import type { Attestation } from "../proof/proof.ts";
import { isSignedBy } from "../protocol/ed25519.ts";
import { bytesOf } from "../protocol/encoding.ts";
import type { Registration } from "../protocol/messages.ts";
import { attestationIdOf, identityMessageOf, keyIdOf, nodeIdOf } from "../protocol/statement.ts";
import type { NodeGatewayContext } from "./context.ts";
import { nodeRefused, notNow } from "./faults.ts";
import type { KnownNodes } from "./known-nodes.ts";
import { oneLine } from "./node-events.ts";
import type { Sessions } from "./sessions.ts";

/** A registration whose statement and evidence have held. */
export type Admission = {
  nodeId: string;
  keyId: string;
  verified: VerifiedEvidence;
  attestation: Attestation;
  /** How long the attestation counts from here on. */
  validMs: number;
};

type AdmissionContext = Pick<
  NodeGatewayContext,
  "settings" | "verifier" | "gatewayKey" | "clock"
> & {
  known: KnownNodes;
  sessions: Sessions;
  /** Counts an attempt of a node. Errors: `too_many_attempts`. */
  allow: (nodeId: string) => void;
};

/**
 * Checks a registration whose nonce counted, what is cheap first: nothing is verified for whoever does not hold the identity
 * key, nor for a node that is refused in any case. Errors: `node_refused`, the check that failed in its details; `unavailable`,
 * `too_many_attempts`.
 */
export async function admit(
  context: AdmissionContext,
  registration: Registration,
  challenge: number,
): Promise<Admission> {
  const { settings, verifier, clock } = context;
  const { statement, evidence } = registration;
  checkAddressee(context, registration);
  checkIdentity(registration);
  const nodeId = nodeIdOf(statement.identity_key);
  const keyId = keyIdOf(statement);
  checkRun(context, { nodeId, keyId, challenge });
  context.allow(nodeId);
  const { verified, collateral } = await verifier
    .verify(statement, evidence, clock.now())
    .catch(asRefusal);
  const nowMs = clock.now();
  const collateralMs = (verified.facts?.collateralUntilMs ?? Infinity) - nowMs;
  const validMs = Math.min(settings.attestationMs, collateralMs);
  if (validMs <= 0) throw nodeRefused("collateral_outdated", "the collateral has ended");
  const attestation = attestationOf(registration, { nodeId, keyId, verified, collateral });
  return { nodeId, keyId, verified, attestation, validMs };
}

function checkAddressee(
  { settings, gatewayKey }: AdmissionContext,
  { statement }: Registration,
): void {
  if (statement.audience !== settings.audience) {
    throw nodeRefused(
      "other_audience",
      "the evidence was made for a gateway of another name",
      `this gateway's name is ${JSON.stringify(settings.audience)} (EARSHOT_NODE_AUDIENCE)`,
    );
  }
  if (statement.gateway_key !== gatewayKey.publicKey) {
    throw nodeRefused(
      "other_gateway",
      "the statement names the key of another gateway",
      "earshot nodes key prints that of this one (EARSHOT_NODE_GATEWAY_KEY)",
    );
  }
  if (!settings.evidence.includes(statement.evidence)) {
    throw nodeRefused(
      "kind_not_accepted",
      `evidence of the kind ${statement.evidence} is not accepted here`,
      `the gateway takes ${settings.evidence.join(",")}; EARSHOT_NODES_EVIDENCE=${[...settings.evidence, statement.evidence].join(",")} there has it take this too, and say so wherever it shows`,
    );
  }
}

function checkIdentity({ statement, identity_signature: written }: Registration): void {
  const signature = bytesOf(written, 64);
  const message = identityMessageOf(statement);
  if (signature !== null && isSignedBy(statement.identity_key, message, signature)) return;
  throw nodeRefused("bad_identity_signature", "the statement is not signed by its identity key");
}

/** Looked at again once everything is verified: others may have come meanwhile. */
export function checkRun(
  { known, sessions }: { known: KnownNodes; sessions: Sessions },
  { nodeId, keyId, challenge }: { nodeId: string; keyId: string; challenge: number },
): void {
  if (known.get(nodeId)?.state === "removed") throw runRefused("node_removed");
  const holder = sessions.get(keyId);
  if (holder !== undefined && holder.nodeId !== nodeId) throw runRefused("key_in_use");
  if (sessions.isReplaced(nodeId, keyId, challenge)) throw runRefused("superseded");
}

const runFaults = {
  node_removed: {
    message: "the operator has removed this node",
    hint: "remove node.key from its data folder and start it again: it comes as another node",
  },
  other_identity: {
    message: "another node has the id of this one",
    hint: "remove node.key from its data folder and start it again: it comes as another node",
  },
  key_in_use: {
    message: "the keys of this run are another node's",
    hint: "start it again: a run makes keys of its own",
  },
  superseded: {
    message: "another run of this node has attested since",
    hint: "run each node with a data folder of its own",
  },
  evidence_downgraded: {
    message: "this node was approved with evidence of hardware and comes without",
    hint: "start it with the evidence that it had, or remove it and let it come as another node",
  },
  machine_changed: {
    message: "this node was approved on another machine",
    hint: "earshot nodes approve lets the operator take it on this one",
  },
} as const;

export function runRefused(code: keyof typeof runFaults): EarshotError {
  const { message, hint } = runFaults[code];
  return nodeRefused(code, message, hint);
}

function attestationOf(
  { statement, evidence, identity_signature, name }: Registration,
  found: Pick<Admission, "nodeId" | "keyId" | "verified"> & { collateral: Collateral | null },
): Attestation {
  return {
    id: attestationIdOf(statement, evidence),
    node_id: found.nodeId,
    key_id: found.keyId,
    name: oneLine(name, "without a name"),
    statement,
    identity_signature,
    evidence,
    collateral: found.collateral,
    policy_id: found.verified.policyId,
  };
}

/** What the verifier refuses, as the node is told: what may pass by itself is no refusal. */
function asRefusal(fault: unknown): never {
  if (!(fault instanceof EarshotError)) throw fault;
  const { code, message } = fault.details[0] ?? fault;
  throw fault.retryable ? notNow(code, message) : nodeRefused(code, message, fault.hint);
}
