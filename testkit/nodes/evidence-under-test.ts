import type { EvidenceKind } from "../../src/jobs/result-signature.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import type { Collateral, Evidence } from "../../src/remote/evidence/evidence.ts";
import type { NodePolicy } from "../../src/remote/evidence/policy.ts";
import { createSimulatedTee } from "../../src/remote/evidence/simulated/simulated-tee.ts";
import { createEvidenceVerifier } from "../../src/remote/evidence/verify-evidence.ts";
import { hashReportData, type NodeStatement } from "../../src/remote/protocol/statement.ts";

/** All sample evidence is valid at this time. */
export const nowMs = Date.UTC(2026, 5, 1);

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64url");

export const statement: NodeStatement = {
  version: 1,
  evidence: "simulated",
  audience: "earshot",
  nonce: key(1),
  identity_key: key(2),
  signing_key: key(3),
  sealing_key: key(4),
  boot_id: Buffer.alloc(16, 5).toString("base64url"),
  gateway_key: key(6),
};

export const tee = createSimulatedTee({ nowMs });
export const collateral = tee.collateral();
export const evidence = tee.evidence(hashReportData(statement));
export const quoteBytes = (): Buffer => Buffer.from(evidence.quote ?? "", "hex");

type Case = {
  statement: NodeStatement;
  evidence: Evidence;
  collateral: Collateral;
  policy: NodePolicy | null;
  accepted: readonly EvidenceKind[];
  nowMs: number;
};

/** `accepted`, or the failing check. */
export async function verdictOn(overrides: Partial<Case>): Promise<string> {
  const defaults = {
    statement,
    evidence,
    collateral,
    policy: tee.policy(),
    accepted: ["simulated"] as const,
    nowMs,
  };
  const testCase: Case = { ...defaults, ...overrides };
  const verify = createEvidenceVerifier({
    acceptedKinds: testCase.accepted,
    policy: testCase.policy,
    collateral: () => Promise.resolve(testCase.collateral),
  });
  try {
    await verify(testCase.statement, testCase.evidence, testCase.nowMs);
    return "accepted";
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    const [detail] = error.details;
    if (error.code !== "evidence_refused" || error.status !== 403 || detail === undefined)
      throw error;
    if (detail.message !== error.message || !/\S/.test(error.message)) throw error;
    if (detail.hint !== error.hint || !/\S/.test(error.hint ?? "")) throw error;
    return detail.code;
  }
}

export const withQuote = (quote: Uint8Array): Partial<Case> => ({
  evidence: { ...evidence, quote: Buffer.from(quote).toString("hex") },
});

export function withBitFlipped(bytes: Uint8Array, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
  return copy;
}
