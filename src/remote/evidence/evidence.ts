import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { SignedQuote } from "./signed-quote.ts";

/** Whether the evidence proves nothing about the machine; a gateway accepts it only if configured to. */
export const isInsecure = (kind: EvidenceKind): boolean => kind !== "tdx";

/** What comes with a statement; all null for `none`. */
export type Evidence = {
  /** The quote in hexadecimal digits. */
  quote: string | null;
  /** The event log of the guest agent, JSON text; null without one. The quote vouches for its events of RTMR3 only. */
  event_log: string | null;
  /** The guest agent's description of the virtual machine, JSON text that nothing vouches for; null without one. */
  vm_config: string | null;
};

export type EvidenceProvider = {
  kind: EvidenceKind;
  /** Evidence whose quote contains these 64 bytes. Errors: `evidence_unavailable`. */
  evidenceFor(reportData: Uint8Array): Promise<Evidence>;
};

/** Collateral of a quote from Intel's caching service: texts, and blobs in hexadecimal digits. */
export type Collateral = {
  pck_crl_issuer_chain: string;
  root_ca_crl: string;
  pck_crl: string;
  tcb_info_issuer_chain: string;
  tcb_info: string;
  tcb_info_signature: string;
  qe_identity_issuer_chain: string;
  qe_identity: string;
  qe_identity_signature: string;
};

/** Where collateral comes from. Errors: `collateral_unavailable` (retryable). */
export type CollateralSource = (quote: SignedQuote) => Promise<Collateral>;

/** What a verified quote says; blobs in hexadecimal digits. */
export type QuoteFacts = {
  /** Intel's rating, such as UpToDate: the worst of platform, quoting enclave and TDX module. */
  tcbStatus: string;
  advisories: readonly string[];
  ppid: string | null;
  platformInstanceId: string | null;
  fmspc: string;
  rootSha256: string;
  tcbEvaluationNumber: number;
  /** When the first part of the collateral expires, Unix milliseconds. */
  collateralUntilMs: number;
  reportData: string;
  mrTd: string;
  rtMr: readonly string[];
  mrSeam: string;
  mrConfigId: string;
  mrOwner: string;
  mrOwnerConfig: string;
  tdAttributes: string;
  xfam: string;
};

/** What the evidence of a node proves. */
export type VerifiedEvidence = {
  kind: EvidenceKind;
  /** Null for `none`. */
  facts: QuoteFacts | null;
  /** SHA-256 of the measured compose file; null without an event log. */
  composeHash: string | null;
  /** The name that the policy gives the image; null for `none`. */
  image: string | null;
  /** Whether the policy lists this machine: such a node needs no approval. */
  isListedPlatform: boolean;
  policyId: string;
};
