import type { AnswerRequest } from "../../platforms/source.ts";
import { hasTime, idTimeMs } from "../../posts/ids.ts";
import { answerBody } from "../protocol/answer.ts";
import { checkAnswer } from "../protocol/check-answer.ts";
import { proofRefused } from "../protocol/errors.ts";
import { type ReadRecord, readRecord } from "../protocol/read-record.ts";
import { readKnowledge, readRequest } from "../protocol/texts.ts";
import { skewMs } from "./proof-checks.ts";
import type { Proof } from "./read-proof.ts";

/** Checks the body against the request, and the signature time if known. Returns the number of records. */
export async function checkBody(
  { body, request: requestText, knowledge }: Proof,
  signedAtMs: number | null,
): Promise<number> {
  const request = readRequest(requestText);
  const known = readKnowledge(knowledge);
  const items = recordsOf(body).map(readRecord);
  await checkAnswer(request, items, known);
  if (signedAtMs !== null) checkBefore(signedAtMs + skewMs, request, items);
  return items.length;
}

/** Authors can claim any time, so the ID must be too late, too. */
function checkBefore(latestMs: number, request: AnswerRequest, items: readonly ReadRecord[]): void {
  if (request.asOfMs > latestMs) {
    throw proofRefused("asked_after_signature", "the request is newer than the signature");
  }
  const isLater = ({ item: { id }, kind, createdMs }: ReadRecord): boolean =>
    kind === "post" &&
    (createdMs === null || createdMs > latestMs) &&
    id !== null &&
    hasTime(id) &&
    idTimeMs(id) > latestMs;
  if (items.some(isLater)) {
    throw proofRefused("post_after_signature", "a post is newer than the signature");
  }
}

/** Canonical, so that all readers extract the same. */
function recordsOf(body: string): string[] {
  try {
    const values: unknown = JSON.parse(body);
    const records = Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : [];
    if (answerBody(records.map((record) => ({ record }))) === body) return records;
  } catch {
    // Includes values too deep to serialise.
  }
  throw malformed();
}

const malformed = () => proofRefused("body_malformed", "the body is not a list of records");
