import type { ResultSignature } from "../../jobs/result-signature.ts";
import type { Collateral, Evidence } from "../evidence/evidence.ts";
import type { NodeStatement } from "../protocol/statement.ts";
/**
 * The evidence of a node and what it takes to verify it. `name` and `policy_id` are the gateway's word; all else is signed, or
 * verified by what is.
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

/** GET …/result/<uuid>/proof: everything it takes to verify a result offline. */
export type Proof = Pick<ResultSignature, "fields" | "knowledge" | "request"> & {
  version: 1;
  job: string;
  /** The body as it was signed. */
  body: string;
  attestation: Attestation;
};
