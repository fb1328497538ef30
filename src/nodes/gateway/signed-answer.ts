import type { SourceAnswer } from "../../platforms/source.ts";
import type { ResultSignature } from "../proof/proof.ts";
import { quoteDigestOf, verifyResult } from "../protocol/signed-result.ts";
import { readAnswer } from "../protocol/work.ts";
import type { NodeGatewayContext } from "./context.ts";
import { answerRefused } from "./faults.ts";
import type { SignedAnswer } from "./gateway.ts";
import type { OpenLease } from "./open-leases.ts";

/**
 * The answer with its signature: made by the attested keys, for this job and what was asked in it, within the time of the lease
 * and under an attestation of this run. Errors: those of reading it, and one of its own for each comparison.
 */
export async function signedAnswerOf(
  lease: OpenLease,
  plain: Uint8Array,
  { settings, clock }: Pick<NodeGatewayContext, "settings" | "clock">,
): Promise<SignedAnswer> {
  const { session, job, request, work, sealedMs } = lease;
  const { answer, body, knowledge, fields } = await readAnswer(plain, work);
  const { signingKey } = session;
  const signed = verifyResult(fields, { body, knowledge, request, signingKey });
  if (signed.keyId !== session.keyId) throw answerRefused("other_key", "it names another key");
  if (signed.job !== job) throw answerRefused("other_job", "it was signed for another job");
  const attestation = session.attestations.get(signed.attestationId);
  if (attestation === undefined) {
    throw answerRefused("other_attestation", "it names no attestation of this run");
  }
  const { evidence } = attestation.statement;
  if (signed.evidence !== evidence) {
    throw answerRefused("other_evidence", "it claims other evidence than was attested");
  }
  if (!isSameDigest(signed.quoteSha256, quoteDigestOf(attestation.evidence))) {
    throw answerRefused("other_quote", "it names another quote than was attested");
  }
  const { clockSkewMs } = settings;
  const earliestMs = sealedMs - clockSkewMs;
  if (signed.signedAtMs < earliestMs - 1_000 || signed.signedAtMs > clock.now() + clockSkewMs) {
    throw answerRefused("other_time", "it was not signed within the time of its lease");
  }
  const signature: ResultSignature = {
    nodeId: session.nodeId,
    keyId: session.keyId,
    attestationId: signed.attestationId,
    evidence,
    fields,
    knowledge,
    request,
  };
  return { ...withNode(answer, session.nodeId), signature };
}

/** Where the answer goes on with a credential of the node, it goes on there. */
function withNode(answer: SourceAnswer, nodeId: string): SourceAnswer {
  const place = answer.nextPlace ?? null;
  if (place === null) return answer;
  const { nodeId: _, ...rest } = place;
  return { ...answer, nextPlace: place.credentialId === null ? rest : { ...rest, nodeId } };
}

function isSameDigest(one: Uint8Array | null, other: Uint8Array | null): boolean {
  if (one === null || other === null) return one === other;
  return Buffer.from(one).equals(other);
}
