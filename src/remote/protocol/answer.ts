import * as z from "zod";
import type { SignedFields } from "../../jobs/result-signature.ts";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import type { AnswerRequest, FetchedItem, SourceAnswer } from "../../platforms/source.ts";
import { checkAnswer, createYield } from "./check-answer.ts";
import { answerRefused } from "./errors.ts";
import { type ParsedRecord, readRecord } from "./read-record.ts";
import { readKnowledge } from "./texts.ts";

export type NodeAnswer = {
  body: string;
  items: readonly Pick<FetchedItem, "record">[];
  knowledge: string;
  fields: SignedFields;
};

export const answerBody = (items: readonly Pick<FetchedItem, "record">[]): string =>
  `[${items.map(({ record }) => record).join(",")}]`;

const field = z.string().max(4_096);

export const signedFields = z.strictObject({
  "content-digest": field,
  "content-type": field,
  "earshot-job": field,
  "signature-input": field,
  signature: field,
});

const headShape = z.strictObject({
  lengths: z.array(z.int().min(2)).max(1_000),
  knowledge: z.string(),
  fields: signedFields,
});

type Head = z.infer<typeof headShape>;

/** One line of JSON, then the signed body. */
export function answerBytes({ body, items, knowledge, fields }: NodeAnswer): Uint8Array {
  const lengths = items.map(({ record }) => Buffer.byteLength(record));
  const head: Head = { lengths, knowledge, fields };
  return Buffer.from(`${JSON.stringify(head)}\n${body}`, "utf8");
}

export async function readAnswer(
  plaintext: Uint8Array,
  request: AnswerRequest,
): Promise<{ answer: SourceAnswer; body: Buffer; knowledge: string; fields: SignedFields }> {
  const bytes = Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.byteLength);
  const headEnd = bytes.indexOf("\n");
  const head = headEnd === -1 ? null : readHead(bytes.subarray(0, headEnd));
  if (head === null) throw answerRefused("malformed", "the answer is malformed");
  const { lengths, knowledge, fields } = head;
  const body = bytes.subarray(headEnd + 1);
  const records: ParsedRecord[] = [];
  const yieldAfter = createYield();
  for (const record of readRecords(body, lengths)) {
    records.push(readRecord(record));
    await yieldAfter(record.length);
  }
  const parsedKnowledge = readKnowledge(knowledge);
  await checkAnswer(request, records, parsedKnowledge);
  const answer = { items: records.map(({ item }) => item), ...parsedKnowledge };
  return { answer, body, knowledge, fields };
}

function readHead(line: Buffer): Head | null {
  try {
    const text = utf8.decode(line);
    const head = headShape.parse(parseUntrustedJson(text));
    return JSON.stringify(head) === text ? head : null;
  } catch {
    return null;
  }
}

/** Rejects invalid UTF-8; keeps a byte order mark. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a JSON array of records with exactly these lengths. */
function* readRecords(body: Buffer, lengths: readonly number[]): Generator<string> {
  let offset = 0;
  for (const length of lengths) {
    if (body.toString("latin1", offset, offset + 1) !== (offset === 0 ? "[" : ","))
      throw bodyMismatch();
    yield decodeText(body.subarray(offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  const closing = body.toString("latin1", offset);
  if (closing !== (lengths.length === 0 ? "[]" : "]")) throw bodyMismatch();
}

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw bodyMismatch();
  }
}

const bodyMismatch = () =>
  answerRefused("body_mismatch", "the body does not consist of the listed records");
