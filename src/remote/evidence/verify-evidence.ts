import { X509Certificate } from "node:crypto";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { EarshotError } from "../../lib/errors.ts";
import { hashReportData, type NodeStatement } from "../protocol/statement.ts";
import { replayEventLog } from "./event-log.ts";
import type { Collateral, CollateralSource, Evidence, VerifiedEvidence } from "./evidence.ts";
import { hashPolicy, type NodePolicy } from "./policy.ts";
import { checkPolicy } from "./policy-check.ts";
import { rateQuote } from "./quote.ts";
import { intelRoot } from "./quote-library.ts";
import { refused } from "./refusal.ts";
import { openQuote } from "./signed-quote.ts";

/** Errors: `evidence_refused`, with the failed check as its first detail; `collateral_unavailable`. */
export type EvidenceVerifier = (
  statement: NodeStatement,
  evidence: Evidence,
  nowMs: number,
) => Promise<{ verified: VerifiedEvidence; collateral: Collateral | null }>;

type VerifierSettings = {
  acceptedKinds: readonly EvidenceKind[];
  policy: NodePolicy | null;
  collateral: CollateralSource | null;
};

export const createEvidenceVerifier =
  (settings: VerifierSettings): EvidenceVerifier =>
  async (statement, evidence, nowMs) => {
    const { acceptedKinds, policy } = settings;
    const { evidence: kind } = statement;
    if (!acceptedKinds.includes(kind)) {
      throw refused(
        "kind_not_accepted",
        `evidence ${kind} is not accepted; accepted: ${acceptedKinds.join(", ") || "none at all"}`,
        "use an accepted kind, or add it to the gateway's EARSHOT_NODES_EVIDENCE",
      );
    }
    const policyId = hashPolicy(policy);
    if (kind !== "none") {
      const { collateral, ...found } = await verifyQuoted(
        kind,
        statement,
        evidence,
        nowMs,
        settings,
      );
      return { verified: { kind, ...found, policyId }, collateral };
    }
    if (Object.values(evidence).some((part) => part !== null)) {
      throw refused(
        "evidence_unexpected",
        "the statement declares no evidence, but evidence was sent",
      );
    }
    const emptyFindings = { facts: null, composeHash: null, image: null, isListedPlatform: false };
    return { verified: { kind, ...emptyFindings, policyId }, collateral: null };
  };

async function verifyQuoted(
  kind: "tdx" | "simulated",
  statement: NodeStatement,
  evidence: Evidence,
  nowMs: number,
  { policy, collateral: source }: VerifierSettings,
) {
  if (policy === null) throw notSet("policy_missing", "a policy", "EARSHOT_NODES_POLICY");
  if (source === null) {
    throw notSet("collateral_missing", "a collateral source", "EARSHOT_NODES_COLLATERAL");
  }
  const rootDer = kind === "tdx" ? await intelRoot() : getSimulatedRoot(policy);
  if (rootDer === null) {
    throw notSet("simulated_root_missing", "a simulated root", "the policy's `simulated_root`");
  }
  if (evidence.quote === null) {
    throw refused("quote_missing", `evidence ${kind} requires a quote`);
  }
  const signedQuote = openQuote(decodeQuote(evidence.quote), rootDer, nowMs);
  // Fetch collateral only for evidence made for this statement.
  if (signedQuote.parts.report.reportData !== hashReportData(statement).toString("hex")) {
    throw refused("report_data", "the quote was made for another statement");
  }
  const collateral = await source(signedQuote);
  const facts = await rateQuote(signedQuote, collateral, nowMs);
  const { event_log: log } = evidence;
  const boot = log === null ? null : replayEventLog(log, facts.rtMr[3] ?? "");
  const composeHash = boot?.composeHash ?? null;
  return { collateral, facts, composeHash, ...checkPolicy(policy, facts, boot) };
}

const getSimulatedRoot = ({ simulated_root: pem }: NodePolicy): Uint8Array | null =>
  pem === undefined ? null : new X509Certificate(pem).raw;

/** `Buffer.from` stops at other characters, so different texts could be the same quote. */
function decodeQuote(hex: string): Buffer {
  if (/^(?:[0-9a-f]{2})+$/.test(hex) && hex.length <= 65_536) return Buffer.from(hex, "hex");
  throw refused("quote_malformed", "the quote must be lower-case hexadecimal digits");
}

const notSet = (code: string, what: string, setting: string): EarshotError =>
  refused(code, `${what} is required to verify quotes`, `set ${setting}`);
