import { readCollateral } from "../../../src/remote/evidence/collateral-text.ts";
import { readPolicy } from "../../../src/remote/evidence/policy.ts";
import { verifyProof as verify } from "../../../src/remote/proof/verify-proof.ts";

export type VerifyProofOptions = {
  /** Kinds of evidence to accept besides `tdx`. */
  accept?: readonly ("simulated" | "none")[];
  /** Replaces the proof's collateral. */
  collateral?: unknown;
  /** When certificates and collateral must be valid; default: the time of the signature. */
  asOf?: Date;
  /** Values that the proof must contain. */
  expected?: {
    job?: string;
    query?: string;
    gatewayKey?: string;
    /** The result as fetched. */
    body?: Uint8Array;
    signedAfter?: Date;
    from?: Date;
    to?: Date;
    isFirstPage?: true;
  };
};

export type ProofCheck = {
  check: string;
  /** `skipped` if an earlier check has failed, or nothing is expected. */
  outcome: "passed" | "failed" | "skipped";
  /** Identifies the failure, if any. */
  code: string | null;
  message: string;
};

/** Nothing in a proof is reliable unless `holds`. */
export type ProofVerdict = {
  holds: boolean;
  checks: readonly ProofCheck[];
  signedAt: Date | null;
  /** When certificates and collateral were valid. */
  asOf: Date | null;
  records: number | null;
};

/**
 * Verifies a response of `GET …/result/<uuid>/proof`, as JSON or parsed, offline. Of the gateway's
 * claims, it trusts only the signature time. `policy` (docs/attestation.md) is JSON or parsed; null
 * accepts no quotes.
 */
export async function verifyProof(
  proof: unknown,
  policy: unknown,
  { accept = [], collateral, asOf, expected = {} }: VerifyProofOptions = {},
): Promise<ProofVerdict> {
  const { signedAfter, from, to, ...others } = expected;
  const policyText = typeof policy === "string" ? policy : JSON.stringify(policy);
  const ownCollateral = collateral === undefined ? null : readCollateral(collateral);
  const { holds, steps, signed, asOfMs, records } = await verify(proof, {
    acceptedKinds: ["tdx", ...accept],
    policy: policy === null ? null : readPolicy(policyText),
    nowMs: Date.now(),
    ...(ownCollateral === null ? {} : { collateral: async () => ownCollateral }),
    ...(asOf === undefined ? {} : { asOfMs: asOf.getTime() }),
    expected: {
      ...others,
      ...(signedAfter === undefined ? {} : { signedAfterMs: signedAfter.getTime() }),
      ...(from === undefined ? {} : { fromMs: from.getTime() }),
      ...(to === undefined ? {} : { toMs: to.getTime() }),
    },
  });
  return {
    holds,
    checks: steps,
    signedAt: signed === null ? null : new Date(signed.signedAtMs),
    asOf: asOfMs === null ? null : new Date(asOfMs),
    records,
  };
}
