/**
 * `tdx`: verified up to Intel's root certificate. `simulated`: verified up to a public test root, which proves nothing about
 * hardware. `none`: keys only.
 */
export const evidenceKinds = ["tdx", "simulated", "none"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** Headers of a signed result (RFC 9530, RFC 9421). */
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
  attestationId: string;
  evidence: EvidenceKind;
  fields: SignedFields;
  knowledge: string;
  request: string;
};
