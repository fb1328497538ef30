import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { SignedQuote } from "./signed-quote.ts";

/** Whether the evidence proves nothing about the machine; accepted only if configured. */
export const isInsecure = (kind: EvidenceKind): boolean => kind !== "tdx";

/** All null for `none`. */
export type Evidence = {
  quote: string | null;
  /** JSON text; the quote covers only RTMR3 events. */
  event_log: string | null;
  /** JSON text, not covered by the quote. */
  vm_config: string | null;
};

export type EvidenceProvider = {
  kind: EvidenceKind;
  /** The quote contains these 64 bytes. Errors: `evidence_unavailable`. */
  evidenceFor(reportData: Uint8Array): Promise<Evidence>;
};

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

/** Errors: `collateral_unavailable` (retryable). */
export type CollateralSource = (quote: SignedQuote) => Promise<Collateral>;

export type QuoteFacts = {
  /** Worst of platform, quoting enclave and TDX module, such as UpToDate. */
  tcbStatus: string;
  advisories: readonly string[];
  ppid: string | null;
  platformInstanceId: string | null;
  fmspc: string;
  rootSha256: string;
  tcbEvaluationNumber: number;
  /** Earliest expiry, Unix milliseconds. */
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

export type VerifiedEvidence = {
  kind: EvidenceKind;
  /** Null for `none`. */
  facts: QuoteFacts | null;
  composeHash: string | null;
  image: string | null;
  /** The policy lists this machine: no approval needed. */
  isListedPlatform: boolean;
  policyId: string;
};
