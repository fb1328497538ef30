import * as z from "zod";
import type { SignedFields } from "../../jobs/result-signature.ts";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import type { AnswerRequest, FetchedItem, SourceAnswer } from "../../platforms/source.ts";
import { type CheckedItem, checkItems, checkKnowledge, createRest } from "./check-answer.ts";
import { answerRefused } from "./errors.ts";
import { readKnowledge } from "./knowledge-text.ts";
import { readRecord } from "./read-record.ts";
import { platformName, postId } from "./wire.ts";

/** A node's answer as it hands it in: the items of its body one by one, what it knows of it, and its signature over both. */
export type NodeAnswer = {
  body: string;
  items: readonly FetchedItem[];
  knowledge: string;
  fields: SignedFields;
};

/** The body of items: what a client is given for them. */
export const bodyOf = (items: readonly Pick<FetchedItem, "record">[]): string =>
  `[${items.map(({ record }) => record).join(",")}]`;

const field = z.string().max(4_096);

export const signedFields = z.strictObject({
  "content-digest": field,
  "content-type": field,
  "earshot-job": field,
  "signature-input": field,
  signature: field,
});

/** What stands before the body: each item without its record, which the body holds, but for its length in bytes. */
const headShape = z.strictObject({
  items: z
    .array(
      z.tuple([
        platformName,
        postId.nullable(),
        z.string().max(4_096).nullable(),
        z.string().max(4_096).nullable(),
        z.int().min(2),
      ]),
    )
    .max(1_000),
  knowledge: z.string(),
  fields: signedFields,
});

type Head = z.infer<typeof headShape>;

/** The bytes of an answer: a line of JSON, then the body as it was signed. */
export function answerBytes({ body, items, knowledge, fields }: NodeAnswer): Uint8Array {
  const head: Head = {
    items: items.map(({ platform, id, uri, userId, record }) => [
      platform,
      id === null ? null : id.toString(),
      uri,
      userId,
      Buffer.byteLength(record),
    ]),
    knowledge,
    fields,
  };
  return Buffer.from(`${JSON.stringify(head)}\n${body}`, "utf8");
}

/**
 * Reads the answer to a request. Whether its signature holds is not looked at (signed-result.ts). Errors: `answer_refused` with
 * `malformed`, `body_mismatch`, `record_malformed`, `item_mismatch`, `knowledge_malformed`, or what check-answer.ts tells.
 */
export async function readAnswer(
  plain: Uint8Array,
  request: AnswerRequest,
): Promise<{ answer: SourceAnswer; body: Buffer; knowledge: string; fields: SignedFields }> {
  const bytes = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
  const end = bytes.indexOf(0x0a);
  const head = end === -1 ? null : readHead(bytes.subarray(0, end));
  if (head === null) throw answerRefused("malformed", "the answer is malformed");
  const { knowledge, fields } = head;
  const body = bytes.subarray(end + 1);
  const items: CheckedItem[] = [];
  const rest = createRest();
  for (const item of itemsOf(head, body)) {
    items.push({ item, record: readRecord(item) });
    await rest(item.record.length);
  }
  const known = readKnowledge(knowledge);
  await checkItems(request, items);
  checkKnowledge(request, items, known);
  const answer = { items: items.map(({ item }) => item), ...known };
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

/** Refuses what is not UTF-8, and takes nothing away. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The items with their records; the body is these one after another in an array, byte for byte. */
function* itemsOf({ items }: Head, body: Buffer): Generator<FetchedItem> {
  const expect = (at: number, text: string) => {
    if (body.subarray(at, at + 1).toString("latin1") !== text) throw notTheRecords();
  };
  expect(0, "[");
  let at = 1;
  for (const [index, [platform, id, uri, userId, length]] of items.entries()) {
    if (index > 0) {
      expect(at, ",");
      at += 1;
    }
    const record = decoded(body.subarray(at, at + length));
    yield { platform, id: id === null ? null : BigInt(id), uri, userId, record };
    at += length;
  }
  expect(at, "]");
  if (body.length !== at + 1) throw notTheRecords();
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notTheRecords();
  }
}

const notTheRecords = () =>
  answerRefused("body_mismatch", "the body of the answer is not that of its records");
