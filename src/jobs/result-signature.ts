/**
 * `tdx`: an Intel TDX quote, verified up to Intel's root. `simulated`: a software quote under a public test root, which proves
 * nothing about hardware. `none`: keys only.
 */
export const evidenceKinds = ["tdx", "simulated", "none"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** Header fields of a signed result (RFC 9530, RFC 9421), as the node sent them. */
export type SignedFields = {
  "content-digest": string;
  "content-type": string;
  "earshot-job": string;
  "signature-input": string;
  signature: string;
};

export type ResultSignature = {
  nodeId: string;
  keyId: string;
  /** The attestation of the node's keys. */
  attestationId: string;
  evidence: EvidenceKind;
  fields: SignedFields;
  /** The signed JSON: where the search continues, coverage, sources, warnings. */
  knowledge: string;
  /** The JSON text of the request that was encrypted to the node. */
  request: string;
};
