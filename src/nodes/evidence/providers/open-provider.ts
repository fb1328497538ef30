import { access, constants } from "node:fs/promises";
import type { EvidenceKind, EvidenceProvider } from "../evidence.ts";
import { readSimulatedTee } from "../simulated/simulated-folder.ts";
import type { SimulatedTee } from "../simulated/simulated-tee.ts";
import { configfsFolder, configfsProvider } from "./configfs.ts";
import { dstackProvider, dstackSocket } from "./dstack.ts";
import { evidenceUnavailable } from "./unavailable.ts";

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
 * Where a node gets evidence of the kind that it was told to show; never of another. For `tdx` that is the guest agent of dstack
 * where there is one, and the kernel otherwise.
 *
 * Errors: `evidence_unavailable`, with what to do; `simulated_tee_unreadable`.
 */
export async function openProvider(
  { evidence, simulatedTee }: ProviderSettings,
  places: { dstack: string; configfs: string } = { dstack: dstackSocket, configfs: configfsFolder },
): Promise<EvidenceProvider> {
  if (evidence === "none") return noEvidence;
  if (evidence === "simulated") {
    if (simulatedTee !== null) return simulatedProvider(await readSimulatedTee(simulatedTee));
    throw evidenceUnavailable(
      "the node has no simulated TEE to show evidence of",
      "set EARSHOT_NODE_SIMULATED_TEE to the file tee.json that `earshot nodes simulate FOLDER` writes",
    );
  }
  if (await isThere(places.dstack)) return dstackProvider(places.dstack);
  if (await isThere(places.configfs)) return configfsProvider(places.configfs);
  throw evidenceUnavailable(
    `this is no TDX machine that quotes can be had of: neither ${places.dstack} nor ${places.configfs} is there`,
    "run the node on a TDX machine, or set EARSHOT_NODE_EVIDENCE=none where the gateway takes that",
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
