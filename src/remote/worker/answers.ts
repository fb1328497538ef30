import { EarshotError } from "../../lib/errors.ts";
import type { AnswerRequest, FetchedItem } from "../../platforms/source.ts";
import type { ShownAnswer } from "../../search/merge/answer-records.ts";
import { createRecordCheck, createYield } from "../protocol/check-answer.ts";
import { readRecord } from "../protocol/read-record.ts";

/** Drops records that a gateway would reject, such as posts whose counts have changed. */
export async function dropRefusedRecords(
  request: AnswerRequest,
  answer: ShownAnswer,
  onOmitted: (check: string) => void,
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
      onOmitted(error.details[0]?.code ?? error.code);
    }
    await yieldAfter(item.record.length);
  }
  return { ...answer, items };
}
