import { messageOf } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import type { Attestation } from "../proof/proof.ts";
import { readAttestation } from "../proof/read-proof.ts";
import { attestationIdOf } from "../protocol/statement.ts";
import { unreachable } from "./gateway-faults.ts";

/** The node's own attestation as its gateway keeps it: with the collateral, so that callers need not ask anyone for it. */
export type OwnAttestation = {
  /** Errors: `gateway_unreachable` where the gateway does not give it, or gives another. */
  of(id: string): Promise<Attestation>;
};

/** Longer than any: quote, event log and collateral. */
const mostBytes = 4 * 1024 ** 2;

/**
 * Asks for each attestation once, by its id, which is a hash of what the node itself stated and showed. Nothing else of it is
 * believed here: whoever is given it checks it.
 */
export function createOwnAttestation({
  gatewayUrl,
  fetch,
  timeoutMs,
}: {
  /** Without a slash at its end. */
  gatewayUrl: string;
  fetch: GuardedFetch;
  timeoutMs: number;
}): OwnAttestation {
  let known: { id: string; attestation: Promise<Attestation> } | null = null;

  async function ask(id: string): Promise<Attestation> {
    const url = `${gatewayUrl}/v1/attestations/${id}`;
    try {
      const answer = await fetch(url, { maxBytes: mostBytes, timeoutMs });
      if (answer.status !== 200) throw unreachable(`the gateway answers with ${answer.status}`);
      const attestation = readAttestation(answer.json());
      const { statement, evidence } = attestation;
      if (attestationIdOf(statement, evidence) === id) return attestation;
    } catch (fault) {
      throw unreachable(messageOf(fault), fault);
    }
    throw unreachable("the gateway gives another attestation than the node's");
  }

  return {
    of: (id) => {
      if (known?.id === id) return known.attestation;
      const entry = { id, attestation: ask(id) };
      known = entry;
      entry.attestation.catch(() => {
        if (known === entry) known = null;
      });
      return entry.attestation;
    },
  };
}
