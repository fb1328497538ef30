import type { SignedQuote } from "./signed-quote.ts";

/**
 * What a node can show for itself. `tdx`: a quote of an Intel TDX machine, verified down to Intel's root. `simulated`: the same
 * made in software under a root that anybody can make: it runs the code that verifies, and proves nothing about hardware.
 * `none`: keys alone.
 */
export const evidenceKinds = ["tdx", "simulated", "none"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

/** Evidence that proves nothing about the machine; a gateway takes it only where that is said on purpose. */
export const isInsecure = (kind: EvidenceKind): boolean => kind !== "tdx";

/** What comes with a statement; all null for `none`. */
export type Evidence = {
  /** The quote in hexadecimal digits. */
  quote: string | null;
  /**
   * The event log as the guest agent gave it, JSON text; null where the machine keeps none. The quote vouches for its events of
   * RTMR3 alone.
   */
  event_log: string | null;
  /** What the guest agent tells of the virtual machine, JSON text, which nothing vouches for; null where it tells nothing. */
  vm_config: string | null;
};

/** Where a node gets its evidence. */
export type EvidenceProvider = {
  kind: EvidenceKind;
  /** Evidence whose quote holds these 64 bytes. Errors: `evidence_unavailable`, with what is missing and what to do. */
  evidenceFor(reportData: Uint8Array): Promise<Evidence>;
};

/** Collateral of a quote as Intel's caching service gives it: texts, and blobs in hexadecimal digits. */
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

/** What a quote says once its signatures hold; blobs in hexadecimal digits. */
export type QuoteFacts = {
  /** Intel's word for the state of the machine, such as UpToDate: the worst of platform, quoting enclave and TDX module. */
  tcbStatus: string;
  advisories: readonly string[];
  ppid: string | null;
  platformInstanceId: string | null;
  fmspc: string;
  rootSha256: string;
  tcbEvaluationNumber: number;
  /** When the first part of the collateral ends, Unix milliseconds. */
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

/** What was found out about the evidence of a node. */
export type VerifiedEvidence = {
  kind: EvidenceKind;
  /** Null for `none`. */
  facts: QuoteFacts | null;
  /** SHA-256 of the compose file that the machine has measured; null without an event log. */
  composeHash: string | null;
  /** The name that the policy gives the image; null for `none`. */
  image: string | null;
  /** Whether the policy names this very machine: such a node needs no approval. */
  isListedPlatform: boolean;
  /** Names the policy that it was checked against. */
  policyId: string;
};
