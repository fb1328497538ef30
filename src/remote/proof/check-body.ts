import type { AnswerRequest } from "../../platforms/source.ts";
import { idTimeMs, tellsTime } from "../../posts/ids.ts";
import { bodyOf } from "../protocol/answer.ts";
import { checkAnswer } from "../protocol/check-answer.ts";
import { type ReadRecord, readRecord } from "../protocol/read-record.ts";
import { readKnowledge, readRequest } from "../protocol/texts.ts";
import type { Proof } from "./proof.ts";
import { skewMs } from "./proof-checks.ts";
import { proofRefused } from "./read-proof.ts";

/**
 * Holds the body and what is told of it against what was asked, as a gateway does before it takes an answer, and against the
 * time of the signature where there is one; how many records there are. Errors: `proof_refused` with `body_malformed`,
 * `asked_after_signature` or `post_after_signature`; `job_refused`; `answer_refused` (check-answer.ts).
 */
export async function checkBody(
  { body, request, knowledge }: Proof,
  signedAtMs: number | null,
): Promise<number> {
  const asked = readRequest(request);
  const known = readKnowledge(knowledge);
  const items = recordsOf(body).map(readRecord);
  await checkAnswer(asked, items, known);
  if (signedAtMs !== null) checkBefore(signedAtMs + skewMs, asked, items);
  return items.length;
}

/** Nothing can be asked or posted after what was signed. The time that an author claims may be any; the ID tells when it was seen. */
function checkBefore(latestMs: number, asked: AnswerRequest, items: readonly ReadRecord[]): void {
  if (asked.asOfMs > latestMs) {
    throw proofRefused("asked_after_signature", "it was asked for after it had been signed");
  }
  const isLater = ({ item: { id }, kind, createdMs }: ReadRecord): boolean =>
    kind === "post" &&
    (createdMs === null || createdMs > latestMs) &&
    id !== null &&
    tellsTime(id) &&
    idTimeMs(id) > latestMs;
  if (items.some(isLater)) {
    throw proofRefused("post_after_signature", "a post is of a time after the signature");
  }
}

/** The records of a body that is spelled as all bodies are: readers of other kinds find the same in it. */
function recordsOf(body: string): string[] {
  const records = writtenAgain(body);
  if (records === null) throw malformed();
  if (bodyOf(records.map((record) => ({ record }))) !== body) throw malformed();
  return records;
}

/** Null for what is no list, and for what nests deeper than can be written. */
function writtenAgain(body: string): string[] | null {
  try {
    const values: unknown = JSON.parse(body);
    return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : null;
  } catch {
    return null;
  }
}

const malformed = () => proofRefused("body_malformed", "the body is no list of records");
