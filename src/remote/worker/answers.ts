import type { EvidenceKind, SignedFields } from "../../jobs/result-signature.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { AnswerRequest, FetchedItem } from "../../platforms/source.ts";
import type { ShownAnswer } from "../../search/merge/with-records.ts";
import { answerBody } from "../protocol/answer.ts";
import { createRecordCheck, createYield } from "../protocol/check-answer.ts";
import { readRecord } from "../protocol/read-record.ts";
import { signResult } from "../protocol/signed-result.ts";
import { knowledgeText } from "../protocol/texts.ts";
import type { Attested } from "./attest.ts";
import type { GatewayClock } from "./gateway-state.ts";
import type { NodeSelf } from "./self.ts";

/** Drops records that a gateway would refuse, such as posts whose counts changed. */
export async function withoutRefused(
  request: AnswerRequest,
  answer: ShownAnswer,
  onLeftOut: (check: string) => void,
): Promise<ShownAnswer> {
  const check = createRecordCheck(request);
  const yieldAfter = createYield();
  const items: FetchedItem[] = [];
  for (const item of answer.items) {
    try {
      check(readRecord(item.record));
      items.push(item);
    } catch (error) {
      if (!(error instanceof EarshotError)) throw error;
      onLeftOut(error.details[0]?.code ?? error.code);
    }
    await yieldAfter(item.record.length);
  }
  return { ...answer, items };
}

export type SigningContext = {
  self: Pick<NodeSelf, "keys" | "keyId">;
  evidence: EvidenceKind;
  gatewayClock: Pick<GatewayClock, "now">;
};

export type AnswerToSign = {
  uuid: string;
  request: string;
  attested: Attested;
  answer: ShownAnswer;
};

export function signAnswer(
  { self, evidence, gatewayClock }: SigningContext,
  { uuid: job, request, attested, answer }: AnswerToSign,
): { body: string; knowledge: string; fields: SignedFields } {
  const { keys, keyId } = self;
  const { attestationId, quoteSha256 } = attested;
  const body = answerBody(answer.items);
  const knowledge = knowledgeText(answer);
  const nowMs = gatewayClock.now();
  const signed = { body, job, request, knowledge, evidence, quoteSha256, attestationId, keyId };
  return { body, knowledge, fields: signResult({ ...signed, nowMs }, keys) };
}
