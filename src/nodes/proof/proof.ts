import type { Collateral, Evidence, EvidenceKind } from "../evidence/evidence.ts";
import type { NodeStatement } from "../protocol/statement.ts";

/** The fields of a signed result (RFC 9530, RFC 9421), as the node made them. */
export type SignedFields = {
  "content-digest": string;
  "content-type": string;
  "earshot-job": string;
  "signature-input": string;
  signature: string;
};

/** What is kept with a result that a node has signed. */
export type ResultSignature = {
  nodeId: string;
  keyId: string;
  /** Names the attestation that the keys of the node were in. */
  attestationId: string;
  evidence: EvidenceKind;
  fields: SignedFields;
  /** What the node knows of its answer, JSON text as it was signed: where it goes on, coverage, sources, warnings. */
  knowledge: string;
  /** What the node was asked, JSON text as it was sealed. */
  request: string;
};

/**
 * A node's evidence and what it takes to verify it. `name` and `policy_id` are the gateway's word; all else is signed, or
 * verified against what is.
 */
export type Attestation = {
  /** SHA-256 of the statement and the quote, in base64url. */
  id: string;
  node_id: string;
  key_id: string;
  name: string;
  statement: NodeStatement;
  /** Ed25519 signature of the identity key over the statement, base64url. */
  identity_signature: string;
  evidence: Evidence;
  collateral: Collateral | null;
  policy_id: string;
};

/** GET …/result/<uuid>/proof: everything that it takes to check a result without asking anyone. */
export type Proof = {
  version: 1;
  job: string;
  /** The body as it was signed. */
  body: string;
  fields: SignedFields;
  knowledge: string;
  request: string;
  attestation: Attestation;
};
