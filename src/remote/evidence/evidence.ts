import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { Evidence } from "../protocol/messages.ts";
import type { PlatformIds } from "./certificates.ts";
import type { Collateral } from "./collateral-text.ts";
import type { TdReport } from "./quote-reader.ts";
import type { SignedQuote } from "./signed-quote.ts";

export type { Evidence } from "../protocol/messages.ts";
export type { Collateral } from "./collateral-text.ts";

/** True if such evidence proves nothing about the machine. */
export const isInsecure = (kind: EvidenceKind): boolean => kind !== "tdx";

export type EvidenceProvider = {
  kind: EvidenceKind;
  /** `reportData`: the 64 bytes that the quote must contain. */
  evidenceFor(reportData: Uint8Array): Promise<Evidence>;
};

/** Errors: `collateral_unavailable`. */
export type CollateralSource = (quote: SignedQuote) => Promise<Collateral>;

export type QuoteFacts = Omit<TdReport, "rtMr"> &
  PlatformIds & {
    tcbStatus: string;
    advisories: readonly string[];
    rootSha256: string;
    tcbEvaluationNumber: number;
    /** Earliest expiry in the collateral, in Unix milliseconds. */
    collateralUntilMs: number;
    rtMr: readonly string[];
  };

export type VerifiedEvidence = {
  kind: EvidenceKind;
  facts: QuoteFacts | null;
  composeHash: string | null;
  image: string | null;
  isListedPlatform: boolean;
  policyId: string;
};
