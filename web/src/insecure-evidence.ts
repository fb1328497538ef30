import type { InsecureEvidence } from "../../src/http/dashboard/contract.ts";

/** What stands above every page while nodes that prove nothing may work here; null where none may. */
export function insecureBanner(
  kinds: readonly InsecureEvidence[],
): { word: string; text: string } | null {
  if (kinds.length === 0) return null;
  const [word, taken] =
    kinds.length > 1 ? notProven : kinds.includes("simulated") ? simulated : noEvidence;
  return { word, text: `${taken} ${meaning}` };
}

const simulated = [
  "SIMULATED",
  "This server takes nodes whose evidence is made in software, by whoever likes.",
] as const;
const noEvidence = ["NO EVIDENCE", "This server takes nodes that show no evidence."] as const;
const notProven = [
  "NOT PROVEN",
  "This server takes nodes whose evidence is made in software, and nodes that show none.",
] as const;
const meaning =
  "Results may come from machines that prove nothing: neither hardware nor code. Each result says which.";
