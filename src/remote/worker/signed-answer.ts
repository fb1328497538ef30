import type { EvidenceKind, SignedFields } from "../../jobs/result-signature.ts";
import type { Attestation, Proof } from "../proof/proof.ts";
import { answerBytes, bodyOf } from "../protocol/answer.ts";
import { signResult } from "../protocol/signed-result.ts";
import { knowledgeText } from "../protocol/texts.ts";
import type { Attested, NodeSelf } from "./attest.ts";
import type { GatewayClock } from "./gateway-clock.ts";
import type { ShownAnswer } from "./shown-records.ts";

export type SigningContext = {
  self: Pick<NodeSelf, "keys" | "keyId">;
  evidence: EvidenceKind;
  gatewayClock: Pick<GatewayClock, "now">;
};

/** What is signed: an answer to a request that goes by this uuid, under the attestation that counts. */
export type SignedJob = {
  uuid: string;
  /** What is asked, JSON text (work.ts). */
  request: string;
  attested: Attested;
  answer: ShownAnswer;
};

/** The bytes of an answer, with all of its records and signed with the keys of the run, as the gateway takes them. */
export function signedAnswer(context: SigningContext, job: SignedJob): Uint8Array {
  const { answer } = job;
  const body = bodyOf(answer.items);
  const fields = signedFields(context, job, body);
  return answerBytes({ body, items: answer.items, knowledge: knowledgeText(answer), fields });
}

/** An answer with everything that it takes to check it, given the node's own attestation. */
export function proofOf(context: SigningContext, job: SignedJob, attestation: Attestation): Proof {
  const { uuid, request, answer } = job;
  const body = bodyOf(answer.items);
  const fields = signedFields(context, job, body);
  const knowledge = knowledgeText(answer);
  return { version: 1, job: uuid, body, fields, knowledge, request, attestation };
}

/** The fields that sign a body which shows this answer. */
export function signedFields(
  { self, evidence, gatewayClock }: SigningContext,
  { uuid, request, attested, answer }: SignedJob,
  body: string,
): SignedFields {
  const { keys, keyId } = self;
  const { attestationId, quoteSha256 } = attested;
  const knowledge = knowledgeText(answer);
  const told = { body, job: uuid, request, knowledge, evidence, quoteSha256, attestationId, keyId };
  return signResult({ ...told, nowMs: gatewayClock.now() }, keys);
}
