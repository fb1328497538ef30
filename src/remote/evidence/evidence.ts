import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Evidence } from "../protocol/messages.ts";
import type { Collateral } from "./collateral-text.ts";
import type { SignedQuote } from "./signed-quote.ts";

export type { Evidence } from "../protocol/messages.ts";
export type { Collateral } from "./collateral-text.ts";

/** Whether the evidence proves nothing about the machine; accepted only if configured. */
export const isInsecure = (kind: EvidenceKind): boolean => kind !== "tdx";

export type EvidenceProvider = {
  kind: EvidenceKind;
  /** The quote contains these 64 bytes. Errors: `evidence_unavailable`. */
  evidenceFor(reportData: Uint8Array): Promise<Evidence>;
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
