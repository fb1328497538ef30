import type { EvidenceKind } from "../jobs/result-signature.ts";
import type { VerifiedEvidence } from "../remote/evidence/evidence.ts";

export type ProofWords = { proven: readonly string[]; notProven: readonly string[] };

const proven: Readonly<Record<EvidenceKind, readonly string[]>> = {
  tdx: [
    "A program that your policy names, on a machine that Intel vouches for, made the keys of this signature and holds them in its memory alone.",
    "That program has signed this body, what was asked, and what is told of the answer. Nobody has changed a byte of it since, the gateway included.",
  ],
  simulated: [
    "Whoever has the secret of the simulated machine has signed this body, what was asked, and what is told of the answer. Nobody else has changed a byte of it since.",
  ],
  none: [
    "One key has signed this body, what was asked, and what is told of the answer, all together.",
  ],
};

const ofKind: Readonly<Record<EvidenceKind, readonly string[]>> = {
  tdx: [
    "That nobody has opened the machine: attestation does not withstand whoever has it in their hands, nor every side channel.",
  ],
  simulated: [
    "Anything about a machine or a program: SIMULATED evidence is made in software, by anybody who has its file.",
  ],
  none: [
    "Anything about a machine, a program or who runs it: nobody vouches for the key, and whoever gave you this proof could have made it all, the gateway included.",
  ],
};

const ofAll: readonly string[] = [
  "That the posts are true, or all there are: a node tells what platforms and its archive gave it.",
  "When it was attested and signed: the gateway tells nodes the time. Compare it with when you asked; --as-of and --collateral check the evidence at another time.",
  "That it answers your question: compare what was asked, above, with it. --job, --query, --from, --to, --first-page and --result compare what they are given, and no more. Which post the ID of a record stands for is the gateway's word.",
  "That nobody else has read your question and its answer: the gateway sees both.",
];

const ofGateway =
  "Which gateway the node worked for, unless you compare its key with one that you trust: --gateway-key does.";

const ofMachine =
  "Which machine it was: your policy names none, so it may be in anybody's hands. `platforms` of the policy names those that you trust.";

/** `isGatewayKnown`: the gateway's key was compared with a known one. */
export function wordsFor(
  { kind, isListedPlatform }: Pick<VerifiedEvidence, "kind" | "isListedPlatform">,
  { isGatewayKnown }: { isGatewayKnown: boolean },
): ProofWords {
  return {
    proven: proven[kind],
    notProven: [
      ...(kind === "tdx" && !isListedPlatform ? [ofMachine] : []),
      ...ofKind[kind],
      ...ofAll,
      ...(isGatewayKnown ? [] : [ofGateway]),
    ],
  };
}
