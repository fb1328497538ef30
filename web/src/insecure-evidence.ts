import type { InsecureEvidence } from "../../src/http/dashboard/contract/session.ts";

/** Null unless unverified nodes are accepted. */
export function insecureBanner(
  kinds: readonly InsecureEvidence[],
): { label: string; text: string } | null {
  if (kinds.length === 0) return null;
  const [label, statement] =
    kinds.length > 1 ? notProven : kinds.includes("simulated") ? simulated : noEvidence;
  return { label, text: `${statement} ${meaning}` };
}

const simulated = ["SIMULATED", "Test mode: this server accepts simulated evidence."] as const;
const noEvidence = ["NO EVIDENCE", "This server accepts nodes without evidence."] as const;
const notProven = [
  "UNVERIFIED",
  "This server accepts nodes with simulated evidence and without evidence.",
] as const;
const meaning =
  "Results may come from machines that are not verified. Each result shows its evidence.";
