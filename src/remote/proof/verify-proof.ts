import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { CollateralSource, VerifiedEvidence } from "../evidence/evidence.ts";
import type { NodePolicy } from "../evidence/policy.ts";
import { createEvidenceVerifier } from "../evidence/verify-evidence.ts";
import { type SignedResult, verifyResult } from "../protocol/signed-result.ts";
import {
  checkBinding,
  checkBody,
  checkExpected,
  checkIdentity,
  checkNames,
  checkTime,
  type ExpectedProof,
} from "./proof-checks.ts";
import type { Proof } from "./read-proof.ts";
import { readProof } from "./read-proof.ts";

export type ProofOptions = {
  acceptedKinds: readonly EvidenceKind[];
  policy: NodePolicy | null;
  nowMs: number;
  collateral?: CollateralSource;
  /** When certificates and collateral must be valid. Default: the signature time. */
  asOfMs?: number;
  expected?: ExpectedProof;
};

const checks = {
  form: "the proof is complete and well-formed",
  names: "the node, key and attestation ids match their content",
  identity: "the node's identity key signed its statement",
  signature: "the attested key signed the body, the request and the statements about the answer",
  binding: "the signature is for this job and this attestation",
  time: "the signature's time, as given by the gateway, is not in the future",
  evidence: "",
  answer: "the answer matches the request",
  expected: "the proof matches the given values",
};
const evidenceMessages: Readonly<Record<EvidenceKind, string>> = {
  tdx: "the quote chains to Intel's root, and the policy accepts its program and machine",
  simulated: "the quote chains to the simulated root, and the policy accepts it",
  none: "evidence `none` is accepted",
};

export type ProofStep = {
  check: keyof typeof checks;
  outcome: "passed" | "failed" | "skipped";
  code: string | null;
  message: string;
};

/** Nothing in the proof is reliable unless `holds` is true. */
export type ProofVerdict = {
  holds: boolean;
  steps: readonly ProofStep[];
  proof: Proof | null;
  signed: SignedResult | null;
  evidence: VerifiedEvidence | null;
  asOfMs: number | null;
  records: number | null;
};

/** Trusts no claim by the gateway except the signature time. */
export async function verifyProof(input: unknown, options: ProofOptions): Promise<ProofVerdict> {
  const steps: ProofStep[] = [];

  async function run<Found>(
    check: ProofStep["check"],
    find: () => Found | Promise<Found>,
    passedMessage = checks[check],
  ): Promise<Found | null> {
    try {
      const value = await find();
      steps.push({ check, outcome: "passed", code: null, message: passedMessage });
      return value;
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      const { code, message } = error.details[0] ?? error;
      steps.push({ check, outcome: "failed", code, message });
      return null;
    }
  }
  const skip = (check: ProofStep["check"], message: string): void => {
    steps.push({ check, outcome: "skipped", code: null, message });
  };

  const proof = await run("form", () => readProof(input));
  if (proof === null) {
    const emptyVerdict = { signed: null, evidence: null, asOfMs: null, records: null };
    return { holds: false, steps, proof, ...emptyVerdict };
  }
  const { signing_key: signingKey, evidence: kind } = proof.attestation.statement;
  await run("names", () => checkNames(proof));
  await run("identity", () => checkIdentity(proof));
  const signed = await run("signature", () => verifyResult(proof.fields, { ...proof, signingKey }));
  const timeMs = options.asOfMs ?? signed?.signedAtMs ?? 0;
  let evidence: VerifiedEvidence | null = null;
  if (signed === null) {
    const message = "not checked, because the signature is invalid";
    for (const check of ["binding", "time", "evidence"] as const) skip(check, message);
  } else {
    await run("binding", () => checkBinding(proof, signed));
    await run("time", () => checkTime(signed, options.nowMs));
    const time = kind === "none" ? "" : `, as of ${isoTime(timeMs)}`;
    const summary = `${evidenceMessages[kind]}${time}`;
    evidence = await run("evidence", () => checkEvidence(proof, timeMs, options), summary);
  }
  const records = await run("answer", () => checkBody(proof, signed?.signedAtMs ?? null));
  const { expected = {} } = options;
  if (Object.keys(expected).length > 0) {
    await run("expected", () => checkExpected(proof, signed, expected));
  } else {
    skip("expected", "no expected values were given");
  }
  const asOfMs = evidence?.facts == null ? null : timeMs;
  const holds = steps.every(({ outcome }) => outcome !== "failed");
  return { holds, steps, proof, signed, evidence, asOfMs, records };
}

async function checkEvidence(
  { attestation }: Proof,
  timeMs: number,
  { acceptedKinds, policy, collateral: source }: ProofOptions,
): Promise<VerifiedEvidence> {
  const { statement, evidence, collateral } = attestation;
  const verify = createEvidenceVerifier({
    acceptedKinds,
    policy,
    collateral: source ?? (collateral === null ? null : async () => collateral),
  });
  const { verified } = await verify(statement, evidence, timeMs);
  return verified;
}
