import { timingSafeEqual } from "node:crypto";
import type { EarshotError } from "../../lib/errors.ts";
import { type NodeStatement, reportDataOf } from "../protocol/statement.ts";
import { replayEventLog } from "./event-log.ts";
import type {
  Collateral,
  CollateralSource,
  Evidence,
  EvidenceKind,
  VerifiedEvidence,
} from "./evidence.ts";
import type { NodePolicy } from "./policy.ts";
import { checkFacts } from "./policy-check.ts";
import { rateQuote } from "./quote.ts";
import { intelRoot } from "./quote-library.ts";
import { refused } from "./refusal.ts";
import { openQuote } from "./signed-quote.ts";

export type EvidenceVerifier = {
  policyId: string;
  /**
   * What the evidence for a statement proves. Errors: `evidence_refused` (403), the check that failed in the code of its first
   * detail; `collateral_unavailable` (retryable).
   */
  verify(
    statement: NodeStatement,
    evidence: Evidence,
    nowMs: number,
  ): Promise<{ verified: VerifiedEvidence; collateral: Collateral | null }>;
};

type VerifierSettings = {
  accepted: readonly EvidenceKind[];
  policy: NodePolicy | null;
  policyId: string;
  collateral: CollateralSource | null;
  /** The root that simulated quotes have to lead to; quotes declared as `tdx` have to lead to Intel's. */
  simulatedRootDer: Uint8Array | null;
};

/**
 * Verifies evidence of the kind that its statement declares, and of no other: a quote that fails as `tdx` is refused, whatever
 * it would be as `simulated` or `none`.
 */
export function createEvidenceVerifier(settings: VerifierSettings): EvidenceVerifier {
  const { accepted, policyId } = settings;
  return {
    policyId,
    verify: async (statement, evidence, nowMs) => {
      const kind = statement.evidence;
      if (!accepted.includes(kind)) throw notAccepted(kind, accepted);
      if (kind === "none") return { verified: nothingProven(evidence, policyId), collateral: null };
      return await verifyQuoted(kind, statement, evidence, nowMs, settings);
    },
  };
}

function nothingProven(evidence: Evidence, policyId: string): VerifiedEvidence {
  const { quote, event_log, vm_config } = evidence;
  if (quote !== null || event_log !== null || vm_config !== null) {
    throw refused(
      "evidence_unexpected",
      "the statement declares no evidence, and some came with it",
    );
  }
  return {
    kind: "none",
    facts: null,
    composeHash: null,
    image: null,
    isListedPlatform: false,
    policyId,
  };
}

async function verifyQuoted(
  kind: "tdx" | "simulated",
  statement: NodeStatement,
  evidence: Evidence,
  nowMs: number,
  settings: VerifierSettings,
): Promise<{ verified: VerifiedEvidence; collateral: Collateral }> {
  const { policy, collateral: source, policyId } = settings;
  if (policy === null) throw notSet("policy_missing", "a policy", "EARSHOT_NODES_POLICY");
  if (source === null)
    throw notSet("collateral_missing", "a source of collateral", "EARSHOT_NODES_COLLATERAL_URL");
  if (evidence.quote === null)
    throw refused("quote_missing", `evidence of the kind ${kind} has to hold a quote`);
  const rootDer = kind === "tdx" ? await intelRoot() : settings.simulatedRootDer;
  if (rootDer === null)
    throw notSet(
      "simulated_root_missing",
      "a root of simulated quotes",
      "EARSHOT_NODES_SIMULATED_ROOT",
    );

  const quote = bytesOf(evidence.quote);
  const signed = openQuote(quote, rootDer, nowMs);
  // Only evidence that a machine has made for this very statement is worth asking a service about.
  if (!timingSafeEqual(signed.parts.report.reportData, reportDataOf(statement))) {
    throw refused(
      "report_data",
      "the quote was made for another statement than the one that it came with",
    );
  }
  const collateral = await source(signed);
  const facts = await rateQuote(signed, collateral, nowMs);
  const boot =
    evidence.event_log === null ? null : replayEventLog(evidence.event_log, facts.rtMr[3] ?? "");
  const composeHash = boot?.composeHash ?? null;
  const admission = checkFacts(policy, facts, boot);
  return { verified: { kind, facts, composeHash, ...admission, policyId }, collateral };
}

/** Anything but digits would be passed over, and two texts would be one quote. */
function bytesOf(hex: string): Buffer {
  if (/^(?:[0-9a-f]{2})+$/.test(hex) && hex.length <= 65_536) return Buffer.from(hex, "hex");
  throw refused("quote_malformed", "the quote is not hexadecimal digits in lower case");
}

function notAccepted(kind: EvidenceKind, accepted: readonly EvidenceKind[]): EarshotError {
  return refused(
    "kind_not_accepted",
    `evidence of the kind ${kind} is not accepted here, only ${accepted.join(", ") || "none at all"}`,
    "EARSHOT_NODES_EVIDENCE of the gateway says which kinds it takes",
  );
}

function notSet(code: string, what: string, setting: string): EarshotError {
  return refused(code, `quotes cannot be verified here without ${what}`, `set ${setting}`);
}
