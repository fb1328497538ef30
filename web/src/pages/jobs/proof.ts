import { commandText } from "../../command-text.ts";
import type { JobStatus } from "../../jobs/job.ts";

/** How to download and verify a proof, or why there is none. */
export type ProofDownload =
  | { kind: "file"; path: string; name: string; command: string; meaning: string }
  | { kind: "none"; reason: string };

type Evidence = NonNullable<JobStatus["evidence"]>;

const meanings: Readonly<Record<Evidence, string>> = {
  tdx: "It contains the result signed by the node, and the evidence of the machine that has the node’s keys.",
  simulated:
    "It contains the result signed by the node. Its evidence is simulated and proves nothing about the machine.",
  none: "It contains the result signed by the node, without evidence: it proves nothing about the machine.",
};

/** Unverified evidence must be accepted explicitly. */
const options: Readonly<Record<Evidence, string>> = {
  tdx: " --policy policy.json",
  simulated: " --accept simulated --policy policy.json",
  none: " --accept none",
};

/** Null if the job has no result. */
export function proofDownload({ uuid, status, node, evidence }: JobStatus): ProofDownload | null {
  if (status !== "done" || node === null) return null;
  if (node === "embedded" || evidence === null) return { kind: "none", reason: noProofReason };
  const name = `proof-${uuid.slice(0, 8)}.json`;
  return {
    kind: "file",
    path: `/v1/search/live/result/${uuid}/proof`,
    name,
    command: commandText(`verify ${name}${options[evidence]}`),
    meaning: meanings[evidence],
  };
}

const noProofReason = "No proof: this server ran the search itself.";
