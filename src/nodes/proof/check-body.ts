import type { FetchedItem } from "../../platforms/source.ts";
import { bodyOf } from "../protocol/answer-bytes.ts";
import { checkItems, checkKnowledge } from "../protocol/check-answer.ts";
import { readKnowledge } from "../protocol/knowledge-text.ts";
import { readRecord } from "../protocol/read-record.ts";
import { readRequest } from "../protocol/request-text.ts";
import { platformName, postId } from "../protocol/wire.ts";
import type { Proof } from "./proof.ts";
import { proofRefused } from "./read-proof.ts";

/**
 * Holds the body and what is told of it against what was asked, as a gateway does before it takes an answer; how many records
 * there are. Errors: `proof_refused` with `body_malformed`; `job_refused`; `answer_refused` (check-answer.ts).
 */
export function checkBody({ body, request, knowledge }: Proof): number {
  const asked = readRequest(request);
  const known = readKnowledge(knowledge);
  const records = recordsOf(body);
  const items = records.map((record) => {
    const item = itemOf(record);
    return { item, record: readRecord(item) };
  });
  checkItems(asked, items);
  checkKnowledge(asked, items, known);
  return items.length;
}

/** The records of a body that is spelled as all bodies are: readers of other kinds find the same in it. */
function recordsOf(body: string): string[] {
  let values: unknown;
  try {
    values = JSON.parse(body);
  } catch {
    throw malformed();
  }
  if (!Array.isArray(values)) throw malformed();
  const records = values.map((value) => JSON.stringify(value));
  if (bodyOf(records.map((record) => ({ record }))) !== body) throw malformed();
  return records;
}

function itemOf(record: string): FetchedItem {
  const { ID, Metadata: told } = JSON.parse(record) ?? {};
  const platform = platformName.safeParse(told?.platform).data;
  if (platform === undefined) throw malformed();
  const { uri = null, user_id: userId = null, kind } = told;
  if (kind !== undefined && kind !== "ids") return { platform, id: null, uri, userId, record };
  const id = postId.safeParse(ID).data;
  if (id === undefined) throw malformed();
  return { platform, id: BigInt(id), uri, userId, record };
}

const malformed = () => proofRefused("body_malformed", "the body is no list of records");
