/**
 * What a node shows. `tdx`: a quote of an Intel TDX machine, verified down to Intel's root. `simulated`: the same made in
 * software under a root that anyone can make; it exercises the verifier and proves nothing about hardware. `none`: keys only.
 */
export const evidenceKinds = ["tdx", "simulated", "none"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

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
