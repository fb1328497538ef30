import type { EvidenceKind } from "../../jobs/result-signature.ts";
import type { VerifiedEvidence } from "../../remote/evidence/evidence.ts";

export type ProofClaims = { proven: readonly string[]; notProven: readonly string[] };

const provenByKind: Readonly<Record<EvidenceKind, readonly string[]>> = {
  tdx: [
    "A program that your policy names, on a machine attested by Intel, created the keys of this signature and keeps them in memory only.",
    "That program signed this body, the request, and the statements about the answer. No one has changed a byte since, including the gateway.",
  ],
  simulated: [
    "A holder of the simulated machine's secret signed this body, the request, and the statements about the answer. No one else has changed a byte since.",
  ],
  none: ["One key signed this body, the request, and the statements about the answer together."],
};

const notProvenByKind: Readonly<Record<EvidenceKind, readonly string[]>> = {
  tdx: [
    "That the machine was not tampered with: attestation does not withstand physical access or every side channel.",
  ],
  simulated: [
    "Anything about a machine or a program: SIMULATED evidence is made in software, by anyone who has its file.",
  ],
  none: [
    "Anything about a machine, a program or its operator: nothing vouches for the key, and the sender of this proof, such as the gateway, could have made it all up.",
  ],
};

const neverProven: readonly string[] = [
  "That the posts are true or complete: a node reports what platforms and its archive returned.",
  "When it was attested and signed: nodes take the time from the gateway. Compare it with the time of your request; --as-of and --collateral check the evidence at another time.",
  "That it answers your request: compare the request above with it. --job, --query, --from, --to, --first-page and --result compare only the given values. Which post an ID identifies is not proven.",
  "That your request and its answer are private: the gateway sees both.",
];

const gatewayNotProven =
  "Which gateway the node worked for, unless you compare its key with one that you trust: --gateway-key does.";

const machineNotProven =
  "Which machine it was: your policy names none, so anyone may control it. `platforms` in the policy lists the machines that you trust.";

/** `isGatewayKnown`: the gateway's key was compared with a known one. */
export function proofClaims(
  { kind, isListedPlatform }: Pick<VerifiedEvidence, "kind" | "isListedPlatform">,
  { isGatewayKnown }: { isGatewayKnown: boolean },
): ProofClaims {
  return {
    proven: provenByKind[kind],
    notProven: [
      ...(kind === "tdx" && !isListedPlatform ? [machineNotProven] : []),
      ...notProvenByKind[kind],
      ...neverProven,
      ...(isGatewayKnown ? [] : [gatewayNotProven]),
    ],
  };
}
