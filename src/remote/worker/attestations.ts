import { messageOf } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import type { EvidenceProvider } from "../evidence/evidence.ts";
import type { Attestation } from "../proof/read-proof.ts";
import { readAttestation } from "../proof/read-proof.ts";
import { attestationIdOf, callerAudience, reportDataOf } from "../protocol/statement.ts";
import { unreachable } from "./gateway-errors.ts";
import { makeStatement, type NodeSelf } from "./self.ts";

/** Proves that the keys which sign results belong to such a machine now. */
export type CallerAttestation = Pick<
  Attestation,
  "node_id" | "key_id" | "statement" | "identity_signature" | "evidence"
>;

/** `nonce` is the caller's, 32 bytes in base64url. Errors: `evidence_unavailable`. */
export async function attestToCaller(
  self: NodeSelf,
  provider: EvidenceProvider,
  recipient: { nonce: string; gatewayKey: string },
): Promise<CallerAttestation> {
  const { nonce, gatewayKey: gateway_key } = recipient;
  const stated = makeStatement(self, provider.kind, {
    audience: callerAudience,
    nonce,
    gateway_key,
  });
  const evidence = await provider.evidenceFor(reportDataOf(stated.statement));
  return { node_id: self.nodeId, key_id: self.keyId, ...stated, evidence };
}

/** As stored by the gateway, with collateral, so that callers need no other source. */
export type OwnAttestation = {
  /** Errors: `gateway_unreachable` unless this attestation is returned. */
  of(id: string): Promise<Attestation>;
};

/** Quote, event log and collateral are smaller. */
const maxBytes = 4 * 1024 ** 2;

/** The id is a hash of statement and quote; recipients verify the rest. */
export function createOwnAttestation({
  gatewayUrl,
  fetch,
  timeoutMs,
}: {
  /** Without a trailing slash. */
  gatewayUrl: string;
  fetch: GuardedFetch;
  timeoutMs: number;
}): OwnAttestation {
  let cached: Attestation | null = null;

  return {
    of: async (id) => {
      if (cached?.id === id) return cached;
      const answer = await fetch(`${gatewayUrl}/v1/attestations/${id}`, { maxBytes, timeoutMs })
        .then((got) => (got.status === 200 ? readAttestation(got.json()) : null))
        .catch((error: unknown) => {
          throw unreachable(messageOf(error), error);
        });
      if (answer === null || attestationIdOf(answer.statement, answer.evidence) !== id) {
        throw unreachable("the gateway does not return the attestation of the node");
      }
      cached = answer;
      return answer;
    },
  };
}
