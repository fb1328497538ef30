import { access, constants } from "node:fs/promises";
import type { EvidenceKind, EvidenceProvider } from "../evidence.ts";
import { readSimulatedTee } from "../simulated/simulated-folder.ts";
import type { SimulatedTee } from "../simulated/simulated-tee.ts";
import { dstackProvider, dstackSocket, evidenceUnavailable } from "./dstack.ts";

type ProviderSettings = {
  evidence: EvidenceKind;
  /** The file of the simulated TEE, for `simulated`. */
  simulatedTee: string | null;
};

/** Keys alone. */
export const noEvidence: EvidenceProvider = {
  kind: "none",
  evidenceFor: () => Promise.resolve({ quote: null, event_log: null, vm_config: null }),
};

export function simulatedProvider(tee: SimulatedTee): EvidenceProvider {
  return {
    kind: "simulated",
    evidenceFor: (reportData) => Promise.resolve(tee.evidence(reportData)),
  };
}

/**
 * Where a node gets evidence of the kind of its setting, never of another; for `tdx` from the guest agent of dstack.
 *
 * Errors: `evidence_unavailable`, with what to do; `simulated_tee_unreadable`.
 */
export async function openProvider(
  { evidence, simulatedTee }: ProviderSettings,
  socket = dstackSocket,
): Promise<EvidenceProvider> {
  if (evidence === "none") return noEvidence;
  if (evidence === "simulated") {
    if (simulatedTee !== null) return simulatedProvider(await readSimulatedTee(simulatedTee));
    throw evidenceUnavailable(
      "the node has no simulated TEE to show evidence of",
      "set EARSHOT_NODE_SIMULATED_TEE to the file tee.json that `earshot nodes simulate FOLDER` writes",
    );
  }
  if (await isThere(socket)) return dstackProvider(socket);
  throw evidenceUnavailable(
    `this is not a virtual machine of dstack: ${socket} does not exist`,
    "run the node on a TDX machine with dstack, or set EARSHOT_NODE_EVIDENCE=none where the gateway takes that",
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}
