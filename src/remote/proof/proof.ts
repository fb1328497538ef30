import type { ResultSignature } from "../../jobs/result-signature.ts";
import type { Collateral, Evidence } from "../evidence/evidence.ts";
import type { NodeStatement } from "../protocol/statement.ts";
/** `name` and `policy_id` are the gateway's claims; everything else is signed, or verified through signed data. */
export type Attestation = {
  id: string;
  node_id: string;
  key_id: string;
  name: string;
  statement: NodeStatement;
  /** By the identity key over the statement; Ed25519, base64url. */
  identity_signature: string;
  evidence: Evidence;
  collateral: Collateral | null;
  policy_id: string;
};

/** GET …/result/<uuid>/proof: everything needed to verify a result offline. */
export type Proof = Pick<ResultSignature, "fields" | "knowledge" | "request"> & {
  version: 1;
  job: string;
  body: string;
  attestation: Attestation;
};
