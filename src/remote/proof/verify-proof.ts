import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { CollateralSource, VerifiedEvidence } from "../evidence/evidence.ts";
import { type NodePolicy, policyIdOf } from "../evidence/policy.ts";
import { createEvidenceVerifier } from "../evidence/verify-evidence.ts";
import { type SignedResult, verifyResult } from "../protocol/signed-result.ts";
import { checkBody } from "./check-body.ts";
import type { Proof } from "./proof.ts";
import {
  checkBinding,
  checkExpected,
  checkIdentity,
  checkNames,
  checkTime,
  type ExpectedOfProof,
} from "./proof-checks.ts";
import { readProof } from "./read-proof.ts";
import { createStepList, type ProofVerdict } from "./verdict.ts";

export type ProofOptions = {
  /** The kinds of evidence that are good enough. */
  accepted: readonly EvidenceKind[];
  /** What quotes are checked against: the caller's own list of programs and machines. */
  policy: NodePolicy | null;
  simulatedRootDer: Uint8Array | null;
  nowMs: number;
  /** In place of the collateral in the proof. */
  collateral?: CollateralSource;
  /** Whether certificates and collateral are in force is judged at this time; at that of the signature when absent. */
  asOfMs?: number;
  expected?: ExpectedOfProof;
};

/**
 * Checks a proof (its JSON text, or what was parsed of it) without asking anyone: from the root of the evidence down to each
 * byte of the body. Every check is told of. Nothing that the gateway says of itself or of the node counts; the time of the
 * signature, at which the evidence is checked unless `asOfMs` says otherwise, is the one that the gateway told the node.
 */
export async function verifyProof(proof: unknown, options: ProofOptions): Promise<ProofVerdict> {
  const list = createStepList();
  const read = await list.run("form", "the proof is complete and in its form", () =>
    readProof(proof),
  );
  const found = read === null ? nothing : await checkProof(read, options, list);
  const holds = list.steps.every(({ outcome }) => outcome !== "failed");
  return { holds, steps: list.steps, proof: read, ...found };
}

type Found = Pick<ProofVerdict, "signed" | "evidence" | "asOfMs" | "records">;

const nothing: Found = { signed: null, evidence: null, asOfMs: null, records: null };

async function checkProof(
  proof: Proof,
  options: ProofOptions,
  list: ReturnType<typeof createStepList>,
): Promise<Found> {
  const { statement } = proof.attestation;
  await list.run(
    "names",
    "node, keys and attestation have the names that their keys make, for a gateway",
    () => checkNames(proof),
  );
  await list.run("identity", "the identity key of the node has signed its statement", () =>
    checkIdentity(proof),
  );
  const signed = await list.run(
    "signature",
    "the attested key has signed the body, what was asked and what is told of the answer",
    () => verifyResult(proof.fields, { ...proof, signingKey: statement.signing_key }),
  );
  if (signed === null) {
    const message = "not checked, as the signature does not hold";
    for (const check of ["binding", "time", "evidence"] as const) list.skip(check, message);
  }
  const evidence = signed === null ? null : await checkSigned(proof, signed, options, list);
  const records = await list.run("answer", "the answer is one to what was asked", () =>
    checkBody(proof, signed?.signedAtMs ?? null),
  );
  const { expected = {} } = options;
  if (Object.keys(expected).length === 0)
    list.skip("expected", "nothing was given to compare with");
  else {
    await list.run("expected", "the proof agrees with what was given", () =>
      checkExpected(proof, signed, expected),
    );
  }
  const asOfMs = evidence?.facts == null || signed === null ? null : asOf(signed, options);
  return { signed, evidence, asOfMs, records };
}

async function checkSigned(
  proof: Proof,
  signed: SignedResult,
  options: ProofOptions,
  list: ReturnType<typeof createStepList>,
): Promise<VerifiedEvidence | null> {
  await list.run("binding", "what was signed is of this job and this attestation", () =>
    checkBinding(proof, signed),
  );
  await list.run(
    "time",
    "the time of the signature, which is the gateway's word, is not in the future",
    () => checkTime(signed, options.nowMs),
  );
  const { evidence: kind } = proof.attestation.statement;
  const time = kind === "none" ? "" : `, as of ${new Date(asOf(signed, options)).toISOString()}`;
  return await list.run("evidence", `${evidencePassed[kind]}${time}`, () =>
    checkEvidence(proof, signed, options),
  );
}

/** When certificates and collateral have to be in force, Unix milliseconds. */
const asOf = ({ signedAtMs }: SignedResult, { asOfMs = signedAtMs }: ProofOptions): number =>
  asOfMs;

const evidencePassed: Readonly<Record<EvidenceKind, string>> = {
  tdx: "the quote leads to Intel's root and is of a program and a machine that the policy takes",
  simulated: "the quote leads to the simulated root, and the policy takes it",
  none: "no evidence is needed, as `none` is accepted",
};

/** Errors: `evidence_refused`, as the verifier of evidence tells. */
async function checkEvidence(
  { attestation }: Proof,
  signed: SignedResult,
  options: ProofOptions,
): Promise<VerifiedEvidence> {
  const { accepted, policy, simulatedRootDer } = options;
  const { statement, evidence, collateral } = attestation;
  const verifier = createEvidenceVerifier({
    accepted,
    policy,
    policyId: policy === null ? "" : policyIdOf(policy),
    collateral: options.collateral ?? (collateral === null ? null : async () => collateral),
    simulatedRootDer,
  });
  const { verified } = await verifier.verify(statement, evidence, asOf(signed, options));
  return verified;
}
