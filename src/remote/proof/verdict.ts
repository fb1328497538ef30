import { EarshotError } from "../../lib/errors.ts";
import type { VerifiedEvidence } from "../evidence/evidence.ts";
import type { SignedResult } from "../protocol/signed-result.ts";
import type { Proof } from "./proof.ts";

/** The checks of a proof, in the order in which they are told. */
type ProofCheck =
  | "form"
  | "names"
  | "identity"
  | "signature"
  | "binding"
  | "time"
  | "evidence"
  | "answer"
  | "expected";

/** One check. `code` names what failed; a check is `skipped` where another that it builds upon failed, or nothing was expected. */
export type ProofStep = {
  check: ProofCheck;
  outcome: "passed" | "failed" | "skipped";
  code: string | null;
  message: string;
};

/** What became of a proof. Nothing of it may be relied on unless `holds`. */
export type ProofVerdict = {
  /** Whether no check failed. */
  holds: boolean;
  steps: readonly ProofStep[];
  /** What the proof says; null where it has not even the form of one. */
  proof: Proof | null;
  /** What its signature says, once that holds. */
  signed: SignedResult | null;
  /** What its evidence shows, once that holds. */
  evidence: VerifiedEvidence | null;
  /** The time at which the evidence holds, Unix milliseconds; null where there is none. */
  asOfMs: number | null;
  /** Records in the body, once that holds. */
  records: number | null;
};

/** Collects the steps of checks. */
export type StepList = {
  steps: readonly ProofStep[];
  /** What a check gives, or null once it has thrown, which is noted with the code of its first detail. */
  run<Found>(
    check: ProofCheck,
    passed: string,
    find: () => Found | Promise<Found>,
  ): Promise<Found | null>;
  skip(check: ProofCheck, message: string): null;
};

export function createStepList(): StepList {
  const steps: ProofStep[] = [];
  return {
    steps,
    run: async (check, passed, find) => {
      try {
        const found = await find();
        steps.push({ check, outcome: "passed", code: null, message: passed });
        return found;
      } catch (fault) {
        if (!(fault instanceof EarshotError)) throw fault;
        const { code, message } = fault.details[0] ?? fault;
        steps.push({ check, outcome: "failed", code, message });
        return null;
      }
    },
    skip: (check, message) => {
      steps.push({ check, outcome: "skipped", code: null, message });
      return null;
    },
  };
}
