import type { Evidence, EvidenceProvider } from "../evidence/evidence.ts";
import { callerAudience, reportDataOf } from "../protocol/statement.ts";
import { type NodeSelf, stateFor } from "./attest.ts";

/** What a caller can check by itself: that the keys which sign results here are those of such a machine, right then. */
export type CallerAttestation = {
  node_id: string;
  key_id: string;
  statement: ReturnType<typeof stateFor>["statement"];
  identity_signature: string;
  evidence: Evidence;
};

/** Evidence over the caller's own nonce, 32 bytes in base64url. Errors: `evidence_unavailable`. */
export async function attestToCaller(
  {
    self,
    provider,
    gatewayKey,
  }: { self: NodeSelf; provider: EvidenceProvider; gatewayKey: string },
  nonce: string,
): Promise<CallerAttestation> {
  const asked = { audience: callerAudience, nonce, gateway_key: gatewayKey };
  const { statement, identitySignature } = stateFor(self, provider, asked);
  return {
    node_id: self.nodeId,
    key_id: self.keyId,
    statement,
    identity_signature: identitySignature,
    evidence: await provider.evidenceFor(reportDataOf(statement)),
  };
}
